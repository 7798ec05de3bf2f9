import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Where a generation came from; written once, before the generation counts.
struct GenerationRecord: Hashable, Sendable {
  /// The hash of the snapshot's file, as it was published.
  let snapshot: SHA256Digest
  let origin: SeedOrigin
  /// The generation that was read when this one was made: the way back leads there.
  let previous: String?

  /// Bytes that a record has at most.
  private static let longest = 1024

  init(snapshot: SHA256Digest, origin: SeedOrigin, previous: String?) {
    self.snapshot = snapshot
    self.origin = origin
    self.previous = previous
  }

  /// `nil` where there is none that is whole; a disk that fails is an error.
  init?(of folder: GenerationFolder) throws(FileError) {
    guard let bytes = try DurableFile.readIfPresent(folder.record, limit: Self.longest),
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
