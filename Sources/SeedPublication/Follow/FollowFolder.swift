import SeedFormat
package import SeedSystem
package import SeedTrust

/// The folder with a copy of another publication. Contains the published files, and the follower's state in `.follow`.
/// Only one process at a time may use it; the kernel releases the lock when the process ends.
package final class FollowFolder: Sendable {
  package let publication: PublicationDirectory
  private let lock: Mutex<File>

  /// Locks the folder, and creates it if it is missing. Rejects a publication that no follower wrote.
  package init(_ path: String) throws {
    publication = PublicationDirectory(path)
    lock = Mutex(try Self.locked(publication))
    try restore()
  }

  /// Creates and locks the folder again if it was removed or emptied, or if another disk was mounted at its path.
  func restore() throws {
    try lock.withLock { lock in if try !lock.hasItsName() { lock = try Self.locked(publication) } }
    try Folder.create(parts, mode: 0o700)
  }

  private static func locked(_ publication: PublicationDirectory) throws -> File {
    let (path, own) = (publication.path, own(in: publication.path))
    guard !publication.exists || Folder.exists(own) else {
      throw Refusal(
        .configuration,
        "\(path) holds a publication that no follower made: choose another folder, because this one would be overwritten."
      )
    }
    try Folder.create(path)
    try Folder.create(own, mode: 0o700)
    let lock = try File("\(own)/lock", for: .updating, mode: 0o600)
    guard try lock.tryLock() else {
      throw Refusal(
        .locked,
        "Another process already writes into \(path): let it finish, end it, or choose another folder.")
    }
    return lock
  }

  deinit { lock.withLock { $0.unlock() } }

  package static func isBegun(in path: String) -> Bool { Folder.exists(own(in: path)) }

  private static func own(in path: String) -> String { "\(path)/.follow" }

  private var own: String { Self.own(in: publication.path) }

  /// The folder of incomplete or unverified downloads, readable only by the owner.
  package var parts: String { "\(own)/parts" }

  // MARK: Objects

  /// Returns the objects that are not in the copy. Compares only lengths, because hashes were verified after the
  /// download. `rehashing` reads every byte to find disk damage.
  package func missing(_ objects: [PublishedObject], rehashing: Bool = false) throws -> [PublishedObject] {
    try objects.filter { object in
      guard publication.holds(object) else { return true }
      return try rehashing && SHA256Digest.ofFile(at: publication.file(object)).digest != object.sha256
    }
  }

  /// Removes downloads of objects that are no longer needed. Throws if the remaining objects do not fit on the disk.
  package func makeRoom(for objects: [PublishedObject]) throws {
    let wanted = Set(objects.map(\.sha256.hex))
    var held = 0
    for name in try Folder.names(in: parts) {
      let path = "\(parts)/\(name)"
      if wanted.contains(String(name.prefix { $0 != "." })) {
        held += try FileStamp(path)?.size ?? 0
      } else {
        try Folder.removeAny(path)
      }
    }
    let needed = objects.reduce(-held) { $0 + $1.length }
    guard let disk = DiskUse(of: publication.path), Double(needed) > disk.freeBytes else { return }
    throw Refusal(
      .inputOutput,
      "The publication needs \(ByteCount(bytes: needed)) more in \(publication.path), but"
        + " only \(ByteCount(bytes: Int(disk.freeBytes))) is free: free some space, or choose a folder on another disk."
    )
  }

  /// Syncs an object and moves it into place. `part` is a file with the verified hash.
  package func place(_ object: PublishedObject, from part: String) throws(FileError) {
    try Folder.create(publication.objectFolder(object.series))
    try File(part, for: .reading).sync()
    try DurableFile.moveIntoPlace(part, publication.file(object), mode: PublicationDirectory.fileMode)
  }

  /// Removes files left by crashes, and files that no metadata named during the grace period, except the objects in
  /// `keeping`. Returns the removed files of the second kind, and warnings about files that cannot be removed.
  package func prune(
    keeping: [PublishedObject] = [], graceSeconds: Int, now: UTCTime
  ) throws -> (removed: [String], warnings: [String]) {
    let published = try published()
    let leftovers = try Pruning.warnings(ofLeftovers: publication.sweep(published.delegatedSeries))
    let pruning = Pruning(publication: publication, stateFolder: own, graceSeconds: graceSeconds)
    let pruned = try pruning.run(published, keeping: keeping.map(\.filePath), now: now, isDryRun: false)
    return (pruned.removed, (leftovers + pruned.warnings).map { "\($0)." })
  }

  /// Reports lost files without a publisher's remedies, because the next check downloads the files again.
  private func published() throws -> PublishedMetadata {
    do { return try publication.published() } catch  where error is TrustError || error is PublicationError {
      let detail = (error as? TrustError).map { " (\($0))" } ?? ""
      throw Refusal(
        .inputOutput,
        "The copy in \(publication.path.printable) lost files during a check\(detail). The next check downloads them again."
      )
    }
  }

  package func release() throws(FileError) { try Folder.removeAll(own) }
}
