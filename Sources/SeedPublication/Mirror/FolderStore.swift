package import SeedFormat
import SeedSystem
import SeedTrust

/// A mirror in a folder. Never creates the folder, because that could fill the disk below an unmounted mount point.
package struct FolderStore: MirrorStore {
  package let place: String
  /// Held while a condition is checked and the file is moved into place. The kernel releases the lock when the process
  /// ends.
  private static let lockName = ".mirror.lock"

  package init(_ folder: String) { place = folder }

  private func file(_ path: String) -> String { "\(place)/\(path)" }

  package func list() throws -> [String: Int] {
    try withLock {
      var found: [String: Int] = [:]
      for top in ["metadata", "targets"] { try list(top, &found) }
      return found
    }
  }

  private func list(_ path: String, _ found: inout [String: Int]) throws {
    for name in try Folder.names(in: file(path)) {
      let inner = "\(path)/\(name)"
      if Folder.leadsToFolder(file(inner)) {
        try list(inner, &found)
      } else if name.hasSuffix(DurableFile.temporarySuffix), MirrorImage.isRemovable(inner) {
        // Removed at once, because new files may need the space. If this fails, the push retries and reports it.
        do { try Folder.remove(file(inner)) } catch { found[inner] = try FileStamp(file(inner))?.size }
      } else if let stamp = try FileStamp(file(inner)) {
        found[inner] = stamp.size
      }
    }
  }

  package func read(_ path: String) throws -> StoredFile? {
    try checkFolder()
    let bytes = try DurableFile.readIfPresent(file(path), limit: PublicationDirectory.mostFileBytes)
    return bytes.map { StoredFile($0, tag: SHA256Digest.of($0).hex) }
  }

  package func download(_ path: String, bytes: Int, to sink: String) throws -> SHA256Digest? {
    guard Folder.exists(file(path)) else { return nil }
    return try SHA256Digest.copying(file(path), to: sink, limit: bytes).digest
  }

  package func length(_ path: String) throws -> Int? { try FileStamp(file(path))?.size }

  package func put(_ file: MirrorFile, _ condition: PutCondition) throws -> PutReply {
    try withLock {
      guard try holds(condition, file.path) else { return .unmet }
      let path = self.file(file.path)
      try Folder.create(Folder.parent(of: path))
      switch file.content {
      case .bytes(let bytes): try DurableFile.write(bytes, to: path)
      case .file(let source): try copy(source, to: path, file)
      }
      return .done(tag: file.sha256.hex)
    }
  }

  private func holds(_ condition: PutCondition, _ path: String) throws -> Bool {
    switch condition {
    case .absent: !Folder.exists(file(path))
    case .tag(let tag): try read(path)?.tag == tag
    case .none: true
    }
  }

  /// Copies a file and moves it into place only if its hash is the signed one.
  private func copy(_ source: String, to path: String, _ file: MirrorFile) throws {
    let temporary = path + DurableFile.temporarySuffix
    do {
      guard try SHA256Digest.copying(source, to: temporary).digest == file.sha256 else {
        throw PublicationError.damaged(file: source)
      }
      try File(temporary, for: .reading).sync()
    } catch {
      try? Folder.remove(temporary)
      throw error
    }
    try DurableFile.moveIntoPlace(temporary, path, mode: PublicationDirectory.fileMode)
  }

  package func remove(_ path: String) throws { try withLock { try Folder.remove(file(path)) } }

  package func isPublic(_ path: String) -> Bool? { nil }

  private func checkFolder() throws {
    guard Folder.leadsToFolder(place) else {
      throw MirrorError.refused("there is no such folder: mount its disk, or create it")
    }
  }

  private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try checkFolder()
    return try LockFile(file(Self.lockName), of: place).hold(.short, body)
  }
}
