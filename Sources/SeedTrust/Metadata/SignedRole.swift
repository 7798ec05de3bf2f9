package import SeedFormat
package import SeedSystem

/// One of TUF's four kinds of signed metadata.
package protocol SignedRole: Hashable, Sendable {
  /// The value of `_type`.
  static var type: String { get }
  var header: RoleHeader { get set }
  /// Takes its fields; whatever is left over is the header's `other`.
  init(reading fields: inout JSONObjectReader) throws(MalformedJSON)
  var members: [JSONMember] { get }
  /// Whose signatures `role` needs. Root says it of the top-level roles, a targets role of its delegates, others of none.
  func roleKeys(of role: String) -> RoleKeys?
  var keysByID: [String: RoleKey] { get }
}

extension SignedRole {
  package func roleKeys(of role: String) -> RoleKeys? { nil }
  package var keysByID: [String: RoleKey] { [:] }

  package var version: Int { header.version }
  /// From this second on it is no longer valid.
  package var expires: UTCTime { header.expires }

  /// The `signed` object, with what was not understood when it was read.
  package var json: JSONValue { .object(header.members(type: Self.type) + members + header.other) }
}

/// The fields that every TUF role has.
package struct RoleHeader: Hashable, Sendable {
  package var version: Int
  /// From this second on it is no longer valid.
  package var expires: UTCTime
  /// The TUF specification that it follows: major 1.
  package let specVersion: String
  /// Members that this version of the code does not know, kept for the signature's sake.
  package var other: [JSONMember]

  /// The `spec_version` of metadata that is written here.
  package static let specVersion = "1.0.31"

  package init(version: Int, expires: UTCTime, other: [JSONMember] = []) {
    (self.version, self.expires, self.other) = (version, expires, other)
    specVersion = Self.specVersion
  }

  init(reading fields: inout JSONObjectReader, type: String) throws(MalformedJSON) {
    let found = try fields.string("_type")
    guard found == type else { throw fields.error("_type", "expected \(type), found \(found)") }
    specVersion = try fields.string("spec_version")
    guard Self.isSupported(specVersion) else {
      throw fields.error("spec_version", "expected 1.x.y, found \(specVersion)")
    }
    version = try fields.integer("version", from: 1)
    expires = try fields.value("expires") { text throws(InvalidName) in
      guard let time = UTCTime(text) else {
        throw InvalidName("time", found: text, expected: "a date and time such as 2026-08-01T12:00:00Z")
      }
      return time
    }
    other = []
  }

  private static func isSupported(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { canonicalDecimal($0, in: 0...Int(Int32.max)) != nil }
    return areNumbers && (2...3).contains(parts.count) && parts[0] == "1"
  }

  func members(type: String) -> [JSONMember] {
    .init(
      ("_type", .string(type)), ("spec_version", .string(specVersion)), ("version", JSONValue(version)),
      ("expires", .string(expires.text)))
  }
}
