import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// What is known of a file that is arriving, kept beside it so that another process can go on.
struct PartialRecord: Hashable {
  let url: String
  let sha256: String
  let length: Int
  /// The strong validator under which the first bytes came.
  let validator: String?

  /// Bytes that a record has at most.
  private static let limit = 4096
  /// Ends the name of a file that is arriving.
  static let partSuffix = ".part"
  /// Ends the name of its record.
  static let recordSuffix = ".part.json"

  /// The record of the part of that path, if there is one that can be read.
  static func read(besides part: String) -> PartialRecord? {
    guard let bytes = try? DurableFile.readIfPresent(path(besides: part), limit: limit) else { return nil }
    return try? PartialRecord(parsing: bytes)
  }

  /// Where the record of a part lies.
  static func path(besides part: String) -> String { part + ".json" }

  /// Keeps the record. Not durably: one that a power loss takes costs a download.
  func write(besides part: String) throws {
    let file = try File(Self.path(besides: part), for: .replacing, mode: 0o600)
    let members: [JSONMember] = .init(
      ("url", .string(url)), ("sha256", .string(sha256)), ("length", JSONValue(length)),
      ("validator", validator.map(JSONValue.string)))
    try file.write(JSONValue.object(members).bytes)
  }
}

extension PartialRecord {
  fileprivate init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    url = try fields.string("url")
    sha256 = try fields.string("sha256")
    length = try fields.integer("length", from: 0)
    validator = try fields.stringIfPresent("validator")
  }
}
