/// A binary property list as a flat list of objects. Containers reference members by number, so sharing costs nothing;
/// they may also contain themselves, so a reader must not follow them without a limit.
package struct BinaryPlist: Hashable, Sendable {
  /// By reference number.
  package let objects: [Object]
  package let root: Int

  package enum Object: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference within a keyed archive.
    case uid(Int)
    case array([Int])
    case dictionary([Member])
  }

  package struct Member: Hashable, Sendable {
    /// Unique within the dictionary.
    package let name: String
    package let value: Int
  }

  package enum Limits {
    /// Maximum bytes of a list. The longest model found had 0.6 MB.
    package static let bytes = 32 * 1024 * 1024
    package static let objects = 1_000_000
    /// Maximum members of all containers together. The largest model found had 9,000 objects.
    package static let references = 2_000_000
  }

  package var members: [Member]? { members(of: root) }

  package func members(of number: Int) -> [Member]? {
    if case .dictionary(let members) = objects[number] { members } else { nil }
  }
}

extension [BinaryPlist.Member] {
  package subscript(name: String) -> Int? { first { $0.name == name }?.value }
}

package struct PlistError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: Reason
  /// In bytes from the start.
  package let offset: Int

  package init(reason: Reason, offset: Int) { (self.reason, self.offset) = (reason, offset) }

  package enum Reason: String, Sendable {
    case notBinary = "it does not begin as a binary property list"
    case tooLong = "it is longer than can be read"
    case truncated = "it ends too early"
    case trailer = "its trailer does not fit its length"
    case tooManyObjects = "it has more objects than can be read"
    case tooManyReferences = "its containers have more members than can be read"
    case unknownMarker = "an object is of an unknown kind"
    case outside = "an object or a reference is outside"
    case overlapping = "objects contain each other"
    case integer = "an integer has more than 64 bits"
    case text = "a text is not valid"
    case key = "a dictionary's key is no text"
    case duplicate = "a dictionary has a key twice"
  }

  package var description: String {
    "the property list cannot be read: \(reason.rawValue), at byte \(offset)"
  }
}
