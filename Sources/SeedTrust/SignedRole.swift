package import SeedFormat
package import SeedSystem

package protocol SignedRole: Hashable, Sendable {
  static var type: String { get }
  var header: RoleHeader { get set }
  /// Reads the role's fields; the header's `other` keeps the remaining ones.
  init(reading fields: inout JSONObjectReader) throws(MalformedJSON)
  var members: [JSONMember] { get }
  /// The keys of `role`. Root lists the keys of top-level roles; a targets role lists the keys of its delegates.
  func roleKeys(of role: String) -> RoleKeys?
  var keysByID: [String: RoleKey] { get }
}

extension SignedRole {
  package func roleKeys(of role: String) -> RoleKeys? { nil }
  package var keysByID: [String: RoleKey] { [:] }

  package var version: Int { header.version }
  /// The first second at which the role is no longer valid.
  package var expires: UTCTime { header.expires }

  /// The `signed` object, including unknown members.
  package var json: JSONValue { .object(header.members(type: Self.type) + members + header.other) }
}

package struct RoleHeader: Hashable, Sendable {
  package var version: Int
  package var expires: UTCTime
  /// The version of the TUF specification; major 1.
  package let specVersion: String
  /// Unknown members, kept because the signature covers them.
  package var other: [JSONMember]

  /// The `spec_version` of new metadata.
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

package struct MetadataFile: Hashable, Sendable {
  /// `3.targets.json`, `timestamp.json`, …
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

/// Names of metadata files. Roles may have any name, so all but RFC 3986's unreserved characters are percent-encoded.
package enum MetadataName {
  /// `timestamp.json`, `transit-2.json`: names of the client's copies and of the repository's timestamp.
  package static func unversioned(_ role: String) -> String { quoted(role) + ".json" }

  /// `3.targets.json`: names of all other files of a repository.
  package static func versioned(_ role: String, _ version: Int) -> String {
    "\(version).\(unversioned(role))"
  }

  package static func quoted(_ text: String) -> String {
    text.utf8.map { byte in
      unreserved.contains(byte) ? String(Unicode.Scalar(byte)) : "%" + lowerHex([byte]).uppercased()
    }.joined()
  }

  private static let unreserved = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
}
