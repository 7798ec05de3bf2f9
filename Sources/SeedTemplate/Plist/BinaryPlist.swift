/// A binary property list as a flat list of objects: containers name their members by number, so that sharing costs nothing.
package struct BinaryPlist: Hashable, Sendable {
  /// By number, as references count them.
  package let objects: [Object]
  /// The number of the outermost object.
  package let root: Int

  /// One object.
  package enum Object: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference of a keyed archive.
    case uid(Int)
    case array([Int])
    case dictionary([Member])
  }

  /// A member of a dictionary.
  package struct Member: Hashable, Sendable {
    /// No other member of its dictionary has it.
    package let name: String
    /// The number of its value.
    package let value: Int
  }

  /// What a list may have at most.
  package enum Limits {
    /// The longest list, in bytes. The longest model found had 0.6 MB.
    package static let bytes = 32 * 1024 * 1024
    /// The most objects.
    package static let objects = 1_000_000
    /// Members of all containers together. The largest model found had 9,000 objects.
    package static let references = 2_000_000
    /// Containers within containers.
    package static let depth = 128
  }

  /// The members of the outermost dictionary; nil where it is none.
  package var members: [Member]? { members(of: root) }

  /// The members of a dictionary; nil where the object is none.
  package func members(of number: Int) -> [Member]? {
    if case .dictionary(let members) = objects[number] { members } else { nil }
  }
}

extension [BinaryPlist.Member] {
  /// The number of a member's value.
  package subscript(name: String) -> Int? { first { $0.name == name }?.value }
}

/// Why bytes are no binary property list.
package struct PlistError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package let reason: Reason
  /// Where, in bytes from the start; of what is nested, the number of the object.
  package let offset: Int

  /// That reason at that place.
  package init(reason: Reason, offset: Int) { (self.reason, self.offset) = (reason, offset) }

  /// What can be wrong.
  package enum Reason: String, Sendable {
    case notBinary = "it does not begin as a binary property list"
    case tooLong = "it is longer than can be read"
    case truncated = "it ends too early"
    case trailer = "its trailer does not fit its length"
    case tooManyObjects = "it has more objects than can be read"
    case tooManyReferences = "its containers have more members than can be read"
    case unknownMarker = "an object is of an unknown kind"
    case outside = "an object or a reference lies outside"
    case overlapping = "objects lie in each other"
    case integer = "an integer has more than 64 bits"
    case text = "a text is not valid"
    case key = "a dictionary's key is no text"
    case duplicate = "a dictionary has a key twice"
    case cycle = "a container holds itself"
    case tooDeep = "containers are nested too deeply"
  }

  package var description: String {
    let unit = [.cycle, .tooDeep].contains(reason) ? "object" : "byte"
    return "the property list cannot be read: \(reason.rawValue), at \(unit) \(offset)"
  }
}
