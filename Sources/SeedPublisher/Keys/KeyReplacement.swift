import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust

struct KeyReplacement {
  struct Role {
    let role: KeyRole
    let known: [PublicKey]
    let made: Int
    let threshold: Int
  }

  let published: PublishedMetadata
  let roles: [Role]

  var signingRoles: [KeyRole] {
    let names = roles.map(\.role)
    // Targets keys that the same change replaces need not be available.
    let needsTargets = names.contains(.series) && !names.contains(.targets)
    return (names.contains(where: \.isInRoot) ? [.root] : []) + (needsTargets ? [.targets] : [])
  }

  init(
    rotating names: [KeyRole], to keys: [PublicKey], count: Int?, threshold: Int?,
    _ published: PublishedMetadata
  ) throws(Refusal) {
    self.published = published
    roles = try names.map { role throws(Refusal) in
      let now = try Self.current(role, published)
      let count = count ?? (keys.isEmpty ? now.keyIDs.count : keys.count)
      let threshold = threshold ?? now.threshold
      guard threshold <= count else {
        throw Refusal(
          .usage,
          "The role \(role.rawValue) has the threshold \(threshold), but would have fewer keys (\(count)):"
            + " use --count \(threshold) or more, or a lower --threshold.")
      }
      let made = count - keys.count
      guard made > 0 || threshold != now.threshold || Set(keys.map(\.keyID)) != Set(now.keyIDs) else {
        throw Refusal(.usage, "The role \(role.rawValue) already has exactly these keys: give a new one.")
      }
      return Role(role: role, known: keys, made: made, threshold: threshold)
    }
  }

  init(
    revoking prefix: String, for keys: [PublicKey], isReplaced: Bool, _ published: PublishedMetadata
  ) throws(Refusal) {
    self.published = published
    let keyID = try Self.keyID(prefix, published)
    let named = KeyRole.allCases.filter { published.keys(of: $0)?.keyIDs.contains(keyID) == true }
    roles = try named.map { role throws(Refusal) in
      let now = try Self.current(role, published)
      if let old = keys.first(where: { now.keyIDs.contains($0.keyID) }) {
        throw Refusal(
          .usage,
          "The role \(role.rawValue) already has the key \(old.keyID.prefix(KeyFileName.tagLength)): give a new one."
        )
      }
      let staying = now.keyIDs.filter { $0 != keyID }.compactMap { published.publicKey($0, of: role) }
      let made = isReplaced && keys.isEmpty ? 1 : 0
      guard staying.count + keys.count + made >= now.threshold else {
        throw Refusal(
          .configuration,
          "Without this key, the role \(role.rawValue) has only \(staying.count) of the \(now.threshold) keys that must sign:"
            + " replace the key with --replace or --key.")
      }
      return Role(role: role, known: staying + keys, made: made, threshold: now.threshold)
    }
  }

  private static func keyID(_ prefix: String, _ published: PublishedMetadata) throws(Refusal) -> String {
    let all = Set(KeyRole.allCases.flatMap { published.keys(of: $0)?.keyIDs ?? [] })
    let fitting = all.filter { $0.hasPrefix(prefix) }
    guard let keyID = fitting.first, fitting.count == 1 else {
      throw Refusal(
        .configuration,
        "No current key, or more than one, has an id that begins with \(prefix.clipped). See 'seedbank keys status'."
      )
    }
    return keyID
  }

  private static func current(_ role: KeyRole, _ published: PublishedMetadata) throws(Refusal) -> RoleKeys {
    guard let keys = published.keys(of: role) else {
      throw Refusal(
        .configuration,
        "The publication has no series and no series keys yet: run 'seedbank regenerate' first.")
    }
    return keys
  }
}

/// Creates the keys of a change. If the change fails before it is stored, the key files stay but are not used.
struct NewKeys {
  let search: KeySearch
  let folders: [String]

  func verifiers(_ replacement: KeyReplacement) throws -> [KeyRole: RoleVerifiers] {
    try replacement.roles.reduce(into: [:]) { verifiers, role in
      let made = try folders(for: role, replacement.published).map { try make(role.role, in: $0) }
      verifiers[role.role] = RoleVerifiers(role.known + made, threshold: role.threshold)
    }
  }

  /// Chooses a folder for each new key. Online keys go to the publisher's folder. If several offline keys must sign, no
  /// folder may get enough of them to sign alone.
  private func folders(for role: KeyReplacement.Role, _ published: PublishedMetadata) throws -> [String] {
    guard role.role.isOffline else { return Array(repeating: search.folder, count: role.made) }
    let given = try folders.isEmpty ? [usualFolder(role.role, published)] : folders
    let chosen = (0..<role.made).map { given[$0 % given.count] }
    let kept = try search.found().filter { found in role.known.contains { $0.keyID == found.keyID } }
    for folder in chosen where role.threshold > 1 {
      let old = Set(kept.filter { Folder.parent(of: $0.path) == folder }.map(\.keyID)).count
      let all = old + chosen.count { $0 == folder }
      guard all < role.threshold || old >= role.threshold else {
        throw Refusal(
          .usage,
          "\(all) \(role.role.rawValue) keys would be in \(folder.printable), and \(role.threshold) are enough to sign:"
            + " give each key its own folder with --to.")
      }
    }
    return chosen
  }

  private func usualFolder(_ role: KeyRole, _ published: PublishedMetadata) throws -> String {
    let keys = published.keys(of: role)
    let current = try search.found().first { $0.role == role && $0.isNamed(by: keys) }
    return current.map { Folder.parent(of: $0.path) } ?? search.folder
  }

  /// Removes incomplete key files left by crashes.
  func sweep() throws {
    for folder in [search.folder] + search.others {
      for name in try Folder.names(in: folder) where name.hasSuffix(DurableFile.temporarySuffix) {
        let isKey = KeyFileName(String(name.dropLast(DurableFile.temporarySuffix.count))) != nil
        if isKey { try Folder.remove("\(folder)/\(name)") }
      }
    }
  }

  private func make(_ role: KeyRole, in folder: String) throws -> PublicKey {
    // The publisher's folder may have been lost with its keys.
    if !Folder.exists(folder) { try Folder.createPrivate(folder) }
    let key = SigningKey.generate()
    let name = KeyFileName(role, tag: String(key.publicKey.keyID.prefix(KeyFileName.tagLength)))
    try KeyFile.write(key, toNewFile: "\(folder)/\(name.text)")
    return key.publicKey
  }
}

extension PublishedMetadata {
  func names(_ keyID: String) -> Bool {
    KeyRole.allCases.contains { keys(of: $0)?.keyIDs.contains(keyID) == true }
  }

  func publicKey(_ keyID: String, of role: KeyRole) -> PublicKey? {
    role == .series ? targets.delegations?.keys[keyID]?.publicKey : root.keys[keyID]?.publicKey
  }
}
