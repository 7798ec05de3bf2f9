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
      let json = try? JSONValue(parsing: bytes),
      let snapshot = json["snapshot"]?.string.flatMap({ try? SHA256Digest(hex: $0) }),
      let origin = json["origin"]?.string.flatMap(SeedOrigin.init)
    else { return nil }
    let previous = json["previous"]?.string.flatMap { StoreLayout.isName($0) ? $0 : nil }
    self.init(snapshot: snapshot, origin: origin, previous: previous)
  }

  func write(to folder: GenerationFolder) throws {
    let json: JSONValue = [
      "snapshot": .string(snapshot.hex), "origin": .string(origin.rawValue),
      "previous": previous.map { .string($0) } ?? .null,
    ]
    var bytes: [UInt8] = []
    JSONWriter.append(json, to: &bytes)
    let file = try File(folder.record, for: .replacing, mode: 0o600)
    try file.write(bytes)
    try file.sync()
  }
}
