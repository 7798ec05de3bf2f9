import SeedFormat

package struct MetadataFile: Hashable, Sendable {
  /// `3.targets.json`, `timestamp.json`, …
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

/// Names of metadata files. Roles may have any name, so all but RFC 3986's unreserved characters are percent-encoded.
package enum MetadataName {
  /// `timestamp.json`, `transit-2.json`: the client's copies, and the repository's timestamp.
  package static func unversioned(_ role: String) -> String { quoted(role) + ".json" }

  /// `3.targets.json`: all other files of a repository.
  package static func versioned(_ role: String, _ version: Int) -> String {
    "\(version).\(unversioned(role))"
  }

  package static func quoted(_ text: String) -> String {
    text.utf8.map { byte in
      isUnreserved(byte) ? String(Unicode.Scalar(byte)) : "%" + lowerHex([byte]).uppercased()
    }.joined()
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
