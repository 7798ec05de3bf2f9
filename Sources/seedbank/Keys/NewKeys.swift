import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Makes the keys of a change, and gives their files their names once metadata names them.
///
/// Until then a file ends with `.new`. A process that dies leaves such files, and the next attempt takes them, so that
/// it begins where the last one ended.
struct NewKeys {
  private let search: KeySearch
  private let folders: [String]

  /// `folders` are those that were named for new keys.
  init(_ search: KeySearch, _ folders: [String]) {
    self.search = search
    self.folders = folders
  }

  /// The keys that each role will have.
  func verifiers(_ replacement: KeyReplacement) throws -> [KeyRole: RoleVerifiers] {
    var verifiers: [KeyRole: RoleVerifiers] = [:]
    for role in replacement.roles {
      let made = try keys(role, replacement.published)
      verifiers[role.role] = RoleVerifiers(role.known + made, threshold: role.threshold)
    }
    return verifiers
  }

  private func keys(_ role: KeyReplacement.Role, _ published: PublishedMetadata) throws -> [PublicKey] {
    let folders = try folders(for: role, published)
    var unused = try folders.flatMap(KeySearch.keys).filter { found in
      found.isNew && found.role == role.role && found.keyID.map { !published.names($0) } == true
    }
    return try (0..<role.made).map { index in
      if let found = unused.popLast(), let key = found.key { return key.publicKey }
      return try make(role.role, in: folders[index % folders.count])
    }
  }

  /// What each step needs lies where the publisher finds it; the keys of root and targets lie where they are told to, else
  /// where the role's keys lie now. Whoever has one folder must not have enough keys to sign.
  private func folders(for role: KeyReplacement.Role, _ published: PublishedMetadata) throws -> [String] {
    guard role.role.isOffline else { return [search.folder] }
    let folders = try self.folders.isEmpty ? [usualFolder(role.role, published)] : self.folders
    let most = (role.made + folders.count - 1) / folders.count
    guard role.threshold == 1 || most < role.threshold else {
      throw CommandFailure(
        .usage,
        "\(most) new \(role.role.rawValue) keys would lie in \(folders[0].printable), and \(role.threshold) can sign:"
          + " name a folder for each with --to.")
    }
    return folders
  }

  /// Where the role's keys lie now.
  private func usualFolder(_ role: KeyRole, _ published: PublishedMetadata) throws -> String {
    let current = try search.found().first { found in
      found.role == role && found.keyID.map { published.keys(of: role)?.keyIDs.contains($0) == true } == true
    }
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
    try KeyFile.write(key, toNewFile: "\(folder)/\(KeyFileName(new: key.publicKey, role).text)")
    return key.publicKey
  }

  /// Renames the files of keys that metadata names by now, and removes what a crash left of others. Returns the new files'
  /// paths; one that cannot be renamed works all the same.
  @discardableResult
  func settle(_ published: PublishedMetadata) throws -> [String] {
    try sweep()
    return try search.found().filter { $0.isNew && $0.keyID.map(published.names) == true }.map { found in
      let folder = Folder.parent(of: found.path)
      guard let name = KeyFileName(String(found.path.dropFirst(folder.count + 1))) else { return found.path }
      let path = "\(folder)/\(name.settled.text)"
      do throws(FileError) {
        try Folder.rename(found.path, to: path)
        try Folder.sync(folder)
        return path
      } catch {
        return found.path
      }
    }
  }
}

extension PublishedMetadata {
  /// Whether a role's keys include that one now.
  func names(_ keyID: String) -> Bool {
    KeyRole.allCases.contains { keys(of: $0)?.keyIDs.contains(keyID) == true }
  }

  /// A key that a role has, where it is of the kind that is used here.
  func publicKey(_ keyID: String, of role: KeyRole) -> PublicKey? {
    role == .series ? targets.delegations?.keys[keyID]?.publicKey : root.keys[keyID]?.publicKey
  }
}
