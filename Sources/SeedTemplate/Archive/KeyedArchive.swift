/// A keyed archive: objects of named classes whose values reference each other.
///
/// Foundation's texts, numbers, dates, data, arrays, sets and dictionaries are read as values; anything else is an
/// ``ArchivedObject``, whose keys the reader must know.
package struct KeyedArchive: Sendable {
  private let plist: BinaryPlist
  /// Each archived object's index in the property list.
  private let places: [Int]
  package let root: Value

  package enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case object(ArchivedObject)
  }

  private static let version: Int64 = 100_000

  package init(_ bytes: [UInt8]) throws {
    let plist = try BinaryPlist(bytes)
    guard let members = plist.members, let top = members["$top"], let list = members["$objects"],
      case .array(let places) = plist.objects[list]
    else { throw ArchiveError(.notAnArchive) }
    guard members["$archiver"].map({ plist.objects[$0] }) == .string("NSKeyedArchiver"),
      members["$version"].map({ plist.objects[$0] }) == .integer(Self.version)
    else { throw ArchiveError(.unknownArchiver) }
    guard let root = plist.members(of: top)?["root"] else { throw ArchiveError(.noRoot) }
    (self.plist, self.places) = (plist, places)
    self.root = try Self.value(root, plist, places, key: "root", of: nil)
  }

  package func value(_ key: String, of object: ArchivedObject) throws(ArchiveError) -> Value? {
    guard let member = object.members[key] else { return nil }
    return try Self.value(member, plist, places, key: key, of: object.number)
  }

  package func elements(of object: ArchivedObject) throws(ArchiveError) -> [Value] {
    let classes: Set = ["NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet"]
    guard classes.contains(object.className) else {
      throw ArchiveError(.otherClass, object.number, object.className)
    }
    return try list("NS.objects", of: object)
  }

  /// The names and values of a dictionary with text keys.
  package func entries(of object: ArchivedObject) throws(ArchiveError) -> [(name: String, value: Value)] {
    let (keys, values): ([Value], [Value])
    switch object.className {
    case "NSDictionary", "NSMutableDictionary":
      (keys, values) = (try list("NS.keys", of: object), try list("NS.objects", of: object))
    case "NSKnownKeysDictionary1":
      let mapping = try require(object, "searchMapping")
      keys = try elements(of: try require(mapping, "keys"))
      values = try elements(of: try require(object, "values"))
    default: throw ArchiveError(.otherClass, object.number, object.className)
    }
    guard keys.count == values.count else { throw ArchiveError(.uneven, object.number) }
    return try named(keys, values, object)
  }

  private func named(
    _ keys: [Value], _ values: [Value], _ object: ArchivedObject
  ) throws(ArchiveError) -> [(name: String, value: Value)] {
    var entries: [(name: String, value: Value)] = []
    var seen: Set<String> = []
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = key else { throw ArchiveError(.keyNotText, object.number) }
      guard seen.insert(name).inserted else { throw ArchiveError(.keyTwice, object.number, name) }
      entries.append((name, value))
    }
    return entries
  }

  private func require(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> ArchivedObject {
    guard case .object(let value)? = try value(key, of: object) else {
      throw ArchiveError(.unexpected, object.number, key)
    }
    return value
  }

  private func list(_ key: String, of object: ArchivedObject) throws(ArchiveError) -> [Value] {
    guard let member = object.members[key], case .array(let numbers) = plist.objects[member] else {
      throw ArchiveError(.unexpected, object.number, key)
    }
    var values: [Value] = []
    for number in numbers {
      values.append(try Self.value(number, plist, places, key: key, of: object.number))
    }
    return values
  }
}

extension KeyedArchive {
  private static let null = "$null"

  private static func value(
    _ place: Int, _ plist: BinaryPlist, _ places: [Int], key: String, of owner: Int?
  ) throws(ArchiveError) -> Value {
    switch plist.objects[place] {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .data(let value): return .data(value)
    case .string(let value): return .string(value)
    case .date(let value): return .date(value)
    case .uid(let number):
      guard places.indices.contains(number) else { throw ArchiveError(.outside, owner, key) }
      return try object(number, plist, places)
    case .null, .array, .dictionary: throw ArchiveError(.unexpected, owner, key)
    }
  }

  private static func object(
    _ number: Int, _ plist: BinaryPlist, _ places: [Int]
  ) throws(ArchiveError) -> Value {
    switch plist.objects[places[number]] {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .data(let value): return .data(value)
    case .date(let value): return .date(value)
    case .string(let value): return number == 0 && value == null ? .null : .string(value)
    case .dictionary(let members):
      let name = try className(members, number, plist, places)
      return try foundation(ArchivedObject(number: number, className: name, members: members), plist)
    case .null, .uid, .array: throw ArchiveError(.unexpected, number)
    }
  }

  private static func className(
    _ members: [BinaryPlist.Member], _ number: Int, _ plist: BinaryPlist, _ places: [Int]
  ) throws(ArchiveError) -> String {
    guard let member = members["$class"], case .uid(let description) = plist.objects[member],
      places.indices.contains(description),
      let name = plist.members(of: places[description])?["$classname"],
      case .string(let text) = plist.objects[name]
    else { throw ArchiveError(.noClass, number) }
    return text
  }

  /// Values that Foundation archives as objects.
  private static func foundation(
    _ object: ArchivedObject, _ plist: BinaryPlist
  ) throws(ArchiveError) -> Value {
    func member(_ key: String) -> BinaryPlist.Object? { object.members[key].map { plist.objects[$0] } }
    switch object.className {
    case "NSString", "NSMutableString":
      if case .string(let text)? = member("NS.string") { return .string(text) }
    case "NSData", "NSMutableData":
      if case .data(let bytes)? = member("NS.data") { return .data(bytes) }
    case "NSUUID":
      if case .data(let bytes)? = member("NS.uuidbytes"), bytes.count == 16 { return .data(bytes) }
    case "NSDate":
      if case .real(let seconds)? = member("NS.time") { return .date(seconds) }
    default: return .object(object)
    }
    throw ArchiveError(.unexpected, object.number, object.className)
  }
}

/// An object of an archive that is not a Foundation value.
package struct ArchivedObject: Sendable {
  /// Its number in the archive, which identifies the object.
  package let number: Int
  package let className: String
  fileprivate let members: [BinaryPlist.Member]

  /// Its keys, without its class.
  package var keys: [String] { members.map(\.name).filter { $0 != "$class" } }
}

package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: Reason
  /// The object's number; nil for the whole archive.
  package let object: Int?
  package let name: String?

  init(_ reason: Reason, _ object: Int? = nil, _ name: String? = nil) {
    (self.reason, self.object, self.name) = (reason, object, name)
  }

  package enum Reason: String, Sendable {
    case notAnArchive = "it has no objects"
    case unknownArchiver = "it was made by an unknown archiver or version"
    case noRoot = "it has no root object"
    case noClass = "an object has no class"
    case outside = "a reference leads outside"
    case unexpected = "a value is not of the expected kind"
    case otherClass = "an object is of another class than expected"
    case uneven = "a dictionary has more keys than values, or fewer"
    case keyNotText = "a dictionary's key is no text"
    case keyTwice = "a dictionary has a key twice"
  }

  package var description: String {
    let place = [object.map { "object \($0)" }, name].compactMap(\.self).joined(separator: ", ")
    return "the keyed archive cannot be read: \(reason.rawValue)\(place.isEmpty ? "" : " (\(place))")"
  }
}
