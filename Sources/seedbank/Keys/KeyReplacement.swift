import SeedDatabase
import SeedFormat
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

  init(rotating arguments: ParsedArguments, _ context: Context, _ published: PublishedMetadata) throws {
    self.published = published
    let names = try arguments.keyRoles(KeyRole.allCases)
    let given = arguments.strings("name").joined(separator: " ")
    for option in ["key", "count", "threshold"] where names.count > 1 && arguments.flag(option) {
      throw arguments.unsuitable(option, given, "a single role")
    }
    if arguments.flag("lost"), !names.contains(.root) {
      throw arguments.unsuitable("lost", given, "the role root")
    }
    let keys = try Self.givenKeys(arguments, context)
    roles = try names.map { try Self.rotation($0, keys, arguments, published) }
  }

  private static func rotation(
    _ role: KeyRole, _ given: [PublicKey], _ arguments: ParsedArguments, _ published: PublishedMetadata
  ) throws -> Role {
    let now = try current(role, published)
    let usual = given.isEmpty ? now.keyIDs.count : given.count
    let count =
      try arguments.integer("count", in: max(1, given.count)...KeyPlan.keyCounts.upperBound) ?? usual
    let threshold = try arguments.integer("threshold", in: 1...count) ?? now.threshold
    guard threshold <= count else {
      throw CommandFailure(
        .usage,
        "The role \(role.rawValue) needs signatures of \(threshold) keys and would have only \(count):"
          + " use --count \(threshold) or more, or a lower --threshold.")
    }
    return Role(role: role, known: given, made: count - given.count, threshold: threshold)
  }

  /// `keys revoke`: removes a key from every role.
  init(revoking arguments: ParsedArguments, _ context: Context, _ published: PublishedMetadata) throws {
    self.published = published
    let keyID = try Self.keyID(arguments, published)
    let given = try Self.givenKeys(arguments, context)
    roles = try KeyRole.allCases.compactMap { role in
      guard published.keys(of: role)?.keyIDs.contains(keyID) == true else { return nil }
      return try Self.revocation(of: keyID, role, given, isReplaced: arguments.flag("replace"), published)
    }
  }

  private static func revocation(
    of keyID: String, _ role: KeyRole, _ given: [PublicKey], isReplaced: Bool, _ published: PublishedMetadata
  ) throws -> Role {
    let now = try current(role, published)
    let staying = now.keyIDs.filter { $0 != keyID }.compactMap { published.publicKey($0, of: role) }
    let made = isReplaced && given.isEmpty ? 1 : 0
    guard staying.count + given.count + made >= now.threshold else {
      throw CommandFailure(
        .configuration,
        "Without this key the role \(role.rawValue) has \(staying.count) keys, and \(now.threshold) must sign:"
          + " replace it with --replace or --key.")
    }
    return Role(role: role, known: staying + given, made: made, threshold: now.threshold)
  }

  private static func keyID(_ arguments: ParsedArguments, _ published: PublishedMetadata) throws -> String {
    let prefix = arguments.strings("name")[0]
    guard prefix.count >= KeyFileName.tagLength else {
      throw arguments.unsuitable("name", prefix, "at least \(KeyFileName.tagLength) digits of a key's id")
    }
    let all = Set(KeyRole.allCases.flatMap { published.keys(of: $0)?.keyIDs ?? [] })
    let fitting = all.filter { $0.hasPrefix(prefix) }
    guard let keyID = fitting.first, fitting.count == 1 else {
      throw CommandFailure(
        .configuration,
        "No single key in force has an id that begins with \(prefix.clipped). See 'seedbank keys status'.")
    }
    return keyID
  }

  private static func current(_ role: KeyRole, _ published: PublishedMetadata) throws -> RoleKeys {
    guard let keys = published.keys(of: role) else {
      throw CommandFailure(.configuration, "The publication has no series yet, so it names no series keys.")
    }
    return keys
  }

  private static func givenKeys(_ arguments: ParsedArguments, _ context: Context) throws -> [PublicKey] {
    let paths = try arguments.paths("key", from: context.currentDirectory)
    let keys = try paths.map { try KeyFile.publicKey(inFileOrPipe: $0) }
    guard Set(keys).count == keys.count else {
      throw arguments.unsuitable("key", "the same key twice", "different keys")
    }
    return keys
  }
}

/// Creates the keys of a change. Until metadata names them, their files end with `.new`, and a retry reuses them.
struct NewKeys {
  let search: KeySearch
  let folders: [String]

  func verifiers(_ replacement: KeyReplacement) throws -> [KeyRole: RoleVerifiers] {
    try replacement.roles.reduce(into: [:]) { verifiers, role in
      let made = try keys(role, replacement.published)
      verifiers[role.role] = RoleVerifiers(role.known + made, threshold: role.threshold)
    }
  }

  private func keys(_ role: KeyReplacement.Role, _ published: PublishedMetadata) throws -> [PublicKey] {
    let folders = try folders(for: role, published)
    var unused = try folders.flatMap(KeySearch.keys).filter { found in
      found.isNew && found.role == role.role && found.keyID.map { !published.names($0) } == true
    }
    return try (0..<role.made).map { index in
      try unused.popLast()?.key?.publicKey ?? make(role.role, in: folders[index % folders.count])
    }
  }

  /// Online keys go to the publisher's folder. With several offline keys, no folder may hold enough to sign.
  private func folders(for role: KeyReplacement.Role, _ published: PublishedMetadata) throws -> [String] {
    guard role.role.isOffline else { return [search.folder] }
    let folders = try self.folders.isEmpty ? [usualFolder(role.role, published)] : self.folders
    let most = (role.made + folders.count - 1) / folders.count
    guard role.threshold == 1 || most < role.threshold else {
      throw CommandFailure(
        .usage,
        "\(most) new \(role.role.rawValue) keys would be in \(folders[0].printable), and \(role.threshold) can sign:"
          + " give a folder for each with --to.")
    }
    return folders
  }

  private func usualFolder(_ role: KeyRole, _ published: PublishedMetadata) throws -> String {
    let keys = published.keys(of: role)
    let current = try search.found().first { $0.role == role && $0.isNamed(by: keys) }
    return current.map { Folder.parent(of: $0.path) } ?? search.folder
  }

  private func sweep() throws {
    for folder in [search.folder] + search.others {
      for name in try Folder.names(in: folder) where name.hasSuffix(DurableFile.temporarySuffix) {
        let isKey = KeyFileName(String(name.dropLast(DurableFile.temporarySuffix.count))) != nil
        if isKey { try Folder.remove("\(folder)/\(name)") }
      }
    }
  }

  private func make(_ role: KeyRole, in folder: String) throws -> PublicKey {
    let key = SigningKey.generate()
    let name = KeyFileName(role, tag: String(key.publicKey.keyID.prefix(KeyFileName.tagLength)), isNew: true)
    try KeyFile.write(key, toNewFile: "\(folder)/\(name.text)")
    return key.publicKey
  }

  /// Renames the files of keys that metadata now names, and removes remains of crashes. Returns the new paths.
  @discardableResult func settle(_ published: PublishedMetadata) throws -> [String] {
    try sweep()
    return try search.found().filter { $0.isNew && $0.keyID.map(published.names) == true }.map { found in
      let folder = Folder.parent(of: found.path)
      guard let name = KeyFileName(String(found.path.dropFirst(folder.count + 1))) else { return found.path }
      let path = "\(folder)/\(KeyFileName(name.role, tag: name.tag).text)"
      do throws(FileError) {
        try Folder.rename(found.path, to: path)
        try Folder.sync(folder)
        return path
      } catch {
        // The old name works too.
        return found.path
      }
    }
  }
}

extension PublishedMetadata {
  func names(_ keyID: String) -> Bool {
    KeyRole.allCases.contains { keys(of: $0)?.keyIDs.contains(keyID) == true }
  }

  /// A role's key, if it is of a supported kind.
  func publicKey(_ keyID: String, of role: KeyRole) -> PublicKey? {
    role == .series ? targets.delegations?.keys[keyID]?.publicKey : root.keys[keyID]?.publicKey
  }
}
