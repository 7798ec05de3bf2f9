import SeedFormat
import SeedTrust

/// Bytes in memory with their strong entity tag.
struct ServedDocument: Hashable, Sendable {
  let bytes: [UInt8]
  /// Quoted, as it stands in `ETag`.
  let tag: String

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tag = entityTag(SHA256Digest.of(bytes))
  }

  init(_ json: JSONValue) { self.init(json.bytes + [UInt8(ascii: "\n")]) }
}

/// The strong entity tag of content with that digest.
func entityTag(_ digest: SHA256Digest) -> String { "\"\(digest.hex)\"" }

extension JSONValue {
  /// A whole number.
  static func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// An object without those members that have no value.
  static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
  }
}
