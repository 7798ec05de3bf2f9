import SeedFormat

/// Takes the fields out of one JSON object, strictly; what nobody took is left in ``unread``.
package struct FieldReader {
  /// The way from the document's root to this object, for the errors.
  let path: String
  /// The members that were not taken, in the document's order.
  private(set) var unread: [JSONMember]

  init(_ value: JSONValue, at path: String) throws(Malformation) {
    guard let members = value.members else {
      throw .field(path: path, reason: "expected an object, found \(value.kind)")
    }
    self.path = path
    unread = members
  }

  /// A whole document.
  init(parsing bytes: [UInt8]) throws(Malformation) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw .notJSON(error)
    }
    try self.init(value, at: "document")
  }

  func error(_ name: String, _ reason: String) -> Malformation {
    .field(path: "\(path).\(name)", reason: reason)
  }

  mutating func takeIfPresent(_ name: String) -> JSONValue? {
    guard let index = unread.firstIndex(where: { $0.name == name }) else { return nil }
    return unread.remove(at: index).value
  }

  mutating func take(_ name: String) throws(Malformation) -> JSONValue {
    guard let value = takeIfPresent(name) else { throw error(name, "is missing") }
    return value
  }

  // MARK: Typed

  mutating func string(_ name: String) throws(Malformation) -> String {
    try typed(name, take(name), "a string", \.string)
  }

  mutating func stringIfPresent(_ name: String) throws(Malformation) -> String? {
    guard let value = takeIfPresent(name) else { return nil }
    return try typed(name, value, "a string", \.string)
  }

  mutating func bool(_ name: String) throws(Malformation) -> Bool {
    try typed(name, take(name), "a bool", \.bool)
  }

  mutating func boolIfPresent(_ name: String) throws(Malformation) -> Bool? {
    guard let value = takeIfPresent(name) else { return nil }
    return try typed(name, value, "a bool", \.bool)
  }

  mutating func integer(_ name: String, from minimum: Int) throws(Malformation) -> Int {
    try integer(name, take(name), from: minimum)
  }

  mutating func integerIfPresent(_ name: String, from minimum: Int) throws(Malformation) -> Int? {
    guard let value = takeIfPresent(name) else { return nil }
    return try integer(name, value, from: minimum)
  }

  private func integer(_ name: String, _ value: JSONValue, from minimum: Int) throws(Malformation) -> Int {
    let number = try typed(name, value, "a whole number", \.integer)
    guard number >= minimum else { throw error(name, "expected \(minimum) or more, found \(number)") }
    // What every JSON reader holds exactly; and a version may be counted up without overflow.
    guard number <= Limits.exactJSONInteger else { throw error(name, "\(number) is beyond 2^53 − 1") }
    return number
  }

  mutating func elements(_ name: String) throws(Malformation) -> [JSONValue] {
    try typed(name, take(name), "an array", \.elements)
  }

  mutating func strings(_ name: String) throws(Malformation) -> [String] {
    let values = try elements(name)
    let texts = values.compactMap(\.string)
    guard texts.count == values.count else { throw error(name, "expected an array of strings") }
    return texts
  }

  mutating func object(_ name: String) throws(Malformation) -> FieldReader {
    try FieldReader(take(name), at: "\(path).\(name)")
  }

  /// An object whose names are keys: each member's value by its name.
  mutating func dictionary<Value>(
    _ name: String, _ read: (inout FieldReader) throws(Malformation) -> Value
  ) throws(Malformation) -> [String: Value] {
    let object = try object(name)
    var dictionary: [String: Value] = [:]
    for member in object.unread {
      var fields = try FieldReader(member.value, at: "\(object.path).\(member.name)")
      // The document's names differ by their bytes; to Swift, two spellings of one character are equal.
      guard try dictionary.updateValue(read(&fields), forKey: member.name) == nil else {
        throw object.error(member.name, "occurs twice, spelled differently")
      }
    }
    return dictionary
  }

  /// A string that a validating type reads.
  mutating func name<Name>(
    _ name: String, _ make: (String) throws(InvalidName) -> Name
  ) throws(Malformation) -> Name {
    let text = try string(name)
    do {
      return try make(text)
    } catch {
      throw self.error(name, error.description)
    }
  }

  mutating func version(_ name: String) throws(Malformation) -> Version {
    let number = try integer(name, from: 1)
    do {
      return try Version(number)
    } catch {
      throw self.error(name, error.description)
    }
  }

  private func typed<Value>(
    _ name: String, _ value: JSONValue, _ expected: String, _ pick: (JSONValue) -> Value?
  ) throws(Malformation) -> Value {
    guard let picked = pick(value) else { throw error(name, "expected \(expected), found \(value.kind)") }
    return picked
  }
}
