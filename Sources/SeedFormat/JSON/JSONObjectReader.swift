/// Reads the members of a JSON object by name and type. Each error gives the member's path. Members not read
/// remain in ``unread``. A closed format rejects them with ``refuseUnread()``; TUF metadata may have more
/// members, which are kept because they are signed too.
package struct JSONObjectReader {
  /// The path from the document's root, such as `signed.roles[2]`; empty for the root.
  package let path: String
  package private(set) var unread: [JSONMember]
  /// The names requested so far; a closed format allows no others.
  private var known: [String] = []

  package init(_ value: JSONValue, at path: String) throws(MalformedJSON) {
    guard let members = value.members else {
      throw .field(path: path, reason: "expected an object, found \(value.kind)")
    }
    self.path = path
    unread = members
  }

  package init(parsing bytes: [UInt8], at path: String = "document") throws(MalformedJSON) {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw .syntax(error) }
    try self.init(value, at: path)
  }

  package func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  package func error(_ name: String, _ reason: String) -> MalformedJSON {
    .field(path: place(of: name), reason: reason)
  }

  package mutating func takeIfPresent(_ name: String) -> JSONValue? {
    known.append(name)
    guard let index = unread.firstIndex(where: { $0.name == name }) else { return nil }
    return unread.remove(at: index).value
  }

  package mutating func take(_ name: String) throws(MalformedJSON) -> JSONValue {
    guard let value = takeIfPresent(name) else { throw error(name, "is missing") }
    return value
  }

  /// Throws if a member was not read. Call last.
  package func refuseUnread() throws(MalformedJSON) {
    guard let name = unread.first?.name else { return }
    let nearest = nearestName(to: name, in: known).map { "did you mean \"\($0)\"?" }
    throw error(name, "unknown key, \(nearest ?? "expected one of \(known.joined(separator: ", "))")")
  }

  /// Whether the member is present and was not read.
  package mutating func has(_ name: String) -> Bool {
    if unread.contains(where: { $0.name == name }) { return true }
    known.append(name)
    return false
  }

  // MARK: Plain values

  package mutating func string(_ name: String) throws(MalformedJSON) -> String {
    try typed(name, take(name), "a string", \.string)
  }

  package mutating func stringIfPresent(_ name: String) throws(MalformedJSON) -> String? {
    has(name) ? try string(name) : nil
  }

  package mutating func bool(_ name: String) throws(MalformedJSON) -> Bool {
    try typed(name, take(name), "a bool", \.bool)
  }

  package mutating func boolIfPresent(_ name: String) throws(MalformedJSON) -> Bool? {
    has(name) ? try bool(name) : nil
  }

  package mutating func integer(_ name: String, from minimum: Int) throws(MalformedJSON) -> Int {
    let number = try typed(name, take(name), "a whole number", \.integer)
    guard number >= minimum else { throw error(name, "expected \(minimum) or more, found \(number)") }
    // Every JSON reader holds such numbers exactly, and versions can be incremented without overflow.
    guard number <= Limits.exactJSONInteger else { throw error(name, "\(number) is beyond 2^53 − 1") }
    return number
  }

  package mutating func integerIfPresent(_ name: String, from minimum: Int) throws(MalformedJSON) -> Int? {
    has(name) ? try integer(name, from: minimum) : nil
  }

  package mutating func value<Value>(
    _ name: String, _ make: (String) throws(InvalidName) -> Value
  ) throws(MalformedJSON) -> Value {
    let text = try string(name)
    do { return try make(text) } catch { throw self.error(name, error.description) }
  }

  package mutating func version(_ name: String) throws(MalformedJSON) -> SeedVersion {
    let number = try integer(name, from: 1)
    do { return try SeedVersion(number) } catch { throw self.error(name, error.description) }
  }

  package mutating func digest(_ name: String) throws(MalformedJSON) -> SHA256Digest {
    try value(name, SHA256Digest.init(hex:))
  }

  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String
  ) throws(MalformedJSON) -> Choice where Choice.RawValue == String {
    let text = try string(name)
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(name, "expected one of \(words), found \"\(text)\"")
    }
    return choice
  }

  package mutating func choiceIfPresent<Choice: RawRepresentable & CaseIterable>(
    _ name: String
  ) throws(MalformedJSON) -> Choice? where Choice.RawValue == String { has(name) ? try choice(name) : nil }

  // MARK: Arrays and objects

  package mutating func strings(_ name: String) throws(MalformedJSON) -> [String] {
    let elements = try typed(name, take(name), "an array", \.elements)
    return try elements.indices.map { index throws(MalformedJSON) in
      try typed("\(name)[\(index)]", elements[index], "a string", \.string)
    }
  }

  package mutating func object(_ name: String) throws(MalformedJSON) -> JSONObjectReader {
    try JSONObjectReader(take(name), at: place(of: name))
  }

  package mutating func objectIfPresent(_ name: String) throws(MalformedJSON) -> JSONObjectReader? {
    has(name) ? try object(name) : nil
  }

  package mutating func objects(_ name: String) throws(MalformedJSON) -> [JSONObjectReader] {
    let elements = try typed(name, take(name), "an array", \.elements)
    return try elements.indices.map { index throws(MalformedJSON) in
      try JSONObjectReader(elements[index], at: "\(place(of: name))[\(index)]")
    }
  }

  package mutating func objectsIfPresent(_ name: String) throws(MalformedJSON) -> [JSONObjectReader]? {
    has(name) ? try objects(name) : nil
  }

  package mutating func dictionary<Value>(
    _ name: String, _ read: (inout JSONObjectReader) throws(MalformedJSON) -> Value
  ) throws(MalformedJSON) -> [String: Value] {
    let object = try object(name)
    return try object.byName { member throws(MalformedJSON) in
      var fields = try JSONObjectReader(member.value, at: object.place(of: member.name))
      return try read(&fields)
    }
  }

  /// Reads all members. Throws if two names differ only in their Unicode form, because they are equal as Swift strings.
  package func byName<Value>(
    _ read: (JSONMember) throws(MalformedJSON) -> Value
  ) throws(MalformedJSON) -> [String: Value] {
    var values: [String: Value] = [:]
    for member in unread {
      guard values.updateValue(try read(member), forKey: member.name) == nil else {
        throw error(member.name, "occurs twice, in two Unicode forms")
      }
    }
    return values
  }

  private func typed<Value>(
    _ name: String, _ value: JSONValue, _ expected: String, _ pick: (JSONValue) -> Value?
  ) throws(MalformedJSON) -> Value {
    guard let picked = pick(value) else { throw error(name, "expected \(expected), found \(value.kind)") }
    return picked
  }
}
