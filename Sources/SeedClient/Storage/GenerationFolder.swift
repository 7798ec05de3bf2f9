import SeedFormat
import SeedSystem

struct GenerationFolder: Hashable, Sendable {
  let name: String
  let path: String

  static let fileName = "seed.sqlite"

  var file: String { "\(path)/\(Self.fileName)" }
  var hasLog: Bool { ((try? FileStamp("\(file)-wal"))?.size ?? 0) > 0 }
  /// The file with the generation's origin. Leases lock it, so it is created once and removed first.
  var record: String { "\(path)/generation.json" }

  enum Mark: String {
    case confirmed = "CONFIRMED"
    case damaged = "DAMAGED"
  }

  func has(_ mark: Mark) -> Bool { Folder.exists("\(path)/\(mark.rawValue)") }

  func set(_ mark: Mark) throws(FileError) {
    try File("\(path)/\(mark.rawValue)", for: .replacing, mode: 0o600).sync()
    try Folder.sync(path)
  }

  /// Removes the folder unless it is leased. Without a record, it cannot be leased: it is a partly removed
  /// folder, or a stray file such as Finder's `.DS_Store`.
  func removeIfFree() throws(FileError) {
    guard Folder.exists(record) else { return try Folder.removeAny(path) }
    let lock = try File(record, for: .reading)
    guard try lock.tryLock() else { return }
    defer { lock.unlock() }
    try Folder.remove(record)
    try Folder.removeAll(path)
  }
}

struct GenerationRecord: Hashable, Sendable {
  /// The SHA-256 of the published snapshot file.
  let snapshot: SHA256Digest
  let origin: SeedOrigin
  /// The generation that was current before this one: the target of a rollback.
  let previous: String?

  private static let longest = 1024
}

extension GenerationRecord {
  /// Returns nil if there is no valid record; throws disk errors.
  init?(of folder: GenerationFolder) throws(FileError) {
    guard let bytes = try DurableFile.start(of: folder.record, Self.longest),
      let record = try? Self(parsing: bytes)
    else { return nil }
    self = record
  }

  private init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    snapshot = try fields.digest("snapshot")
    origin = try fields.choice("origin")
    previous = try fields.stringIfPresent("previous").flatMap { StoreLayout.isName($0) ? $0 : nil }
  }

  func write(to folder: GenerationFolder) throws {
    let members: [JSONMember] = .init(
      ("snapshot", .string(snapshot.hex)), ("origin", .string(origin.rawValue)),
      ("previous", previous.map(JSONValue.string)))
    let file = try File(folder.record, for: .replacing, mode: 0o600)
    try file.write(JSONValue.object(members).bytes)
    try file.sync()
  }
}
