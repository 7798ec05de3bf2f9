import SeedFormat
package import SeedSystem
package import SeedTrust

/// The folder of a copy of somebody else's publication: the files as they were published, and in `.follow` what the
/// follower alone needs. One process at a time works on it; the kernel gives the folder back with the process.
package final class FollowFolder: Sendable {
  /// The copy, to be served like any other publication.
  package let publication: PublicationDirectory
  private let lock: File

  private static let ownName = ".follow"
  private static let partsName = "parts"

  /// Takes the folder, and makes it where it is not there. A publication that no follower made is left alone.
  package init(_ path: String) throws {
    publication = PublicationDirectory(path)
    let own = Self.own(in: path)
    guard !publication.exists || Folder.exists(own) else { throw FollowError.otherPublication(path: path) }
    try Folder.create(path)
    try Folder.create(own, mode: 0o700)
    try Folder.create("\(own)/\(Self.partsName)", mode: 0o700)
    lock = try File("\(own)/lock", for: .updating, mode: 0o600)
    guard try lock.tryLock() else { throw FollowError.locked(path: path) }
  }

  deinit { lock.unlock() }

  /// Whether somebody began a copy in a folder.
  package static func isBegun(in path: String) -> Bool { Folder.exists(own(in: path)) }

  private static func own(in path: String) -> String { "\(path)/\(ownName)" }

  private var own: String { Self.own(in: publication.path) }

  /// Where downloads lie until they are whole and have the hash that was signed. Nobody else can read it.
  package var parts: String { "\(own)/\(Self.partsName)" }

  // MARK: Objects

  /// Those of the objects that are not here. What is here was compared with its hash when it came, so its length tells;
  /// `rehashing` reads every byte, and finds what a disk has damaged since.
  package func missing(_ objects: [PublishedObject], rehashing: Bool = false) throws -> [PublishedObject] {
    try objects.filter { object in
      let path = publication.file(object)
      guard let stamp = try FileStamp(path), stamp.isRegular, stamp.size == object.length else { return true }
      return try rehashing && SHA256Digest.ofFile(at: path).digest != object.sha256
    }
  }

  /// Removes the downloads of objects that are not wanted any more, and throws where the others have no room.
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
    throw FollowError.noRoom(path: publication.path, needed: needed, free: Int(disk.freeBytes))
  }

  /// Brings an object into its place, durably; `part` is its file with the hash that was signed.
  package func place(_ object: PublishedObject, from part: String) throws(FileError) {
    try Folder.create(publication.objectFolder(object.series))
    try File(part, for: .reading).sync()
    try DurableFile.moveIntoPlace(part, publication.file(object))
  }

  // MARK: Metadata

  /// Writes what a draft found, once all objects that it names are here. `timestamp.json` comes last, or a new root
  /// that clients of the old one need not have.
  package func publish(_ draft: FollowDraft) throws(FileError) { try publication.write(draft.files) }

  /// Removes what crashes left, and what no metadata has named for the grace period.
  package func prune(graceSeconds: Int, now: UTCTime) throws -> [String] {
    let published = try publication.published()
    try publication.sweep(published.delegatedSeries)
    let pruning = Pruning(publication: publication, stateFolder: own, graceSeconds: graceSeconds)
    return try pruning.run(published, now: now, isDryRun: false).removed
  }

  /// Ends the following: from now on the folder is a publication like any other.
  package func release() throws(FileError) { try Folder.removeAll(own) }
}
