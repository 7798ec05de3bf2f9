/// A JSON document as a tree, for configuration and metadata; rows use `JSONTape`.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  package init(parsing bytes: [UInt8]) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    self = try JSONValue(scanner.next(), &scanner)
    _ = try scanner.next()
  }

  private init(_ token: JSONToken, _ scanner: inout JSONScanner) throws(JSONError) {
    switch token {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .string(let value): self = .string(value)
    case .beginArray: self = .array(try Self.elements(&scanner))
    case .beginObject: self = .object(try Self.members(&scanner))
    case .endArray, .endObject, .name, .end, .starved:
      // The scanner never yields these if a value is expected.
      throw JSONError(at: scanner.offset, "expected a value")
    }
  }

  private static func elements(_ scanner: inout JSONScanner) throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    while true {
      let token = try scanner.next()
      if token == .endArray { return elements }
      elements.append(try JSONValue(token, &scanner))
    }
  }

  private static func members(_ scanner: inout JSONScanner) throws(JSONError) -> [JSONMember] {
    var members: [JSONMember] = []
    while case .name(let name) = try scanner.next() {
      members.append(JSONMember(name, try JSONValue(scanner.next(), &scanner)))
    }
    return members
  }
}

package struct JSONMember: Hashable, Sendable {
  package let name: String
  package let value: JSONValue

  package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
}

extension JSONValue {
  package subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

  package var members: [JSONMember]? { if case .object(let members) = self { members } else { nil } }

  package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  package var string: String? { if case .string(let text) = self { text } else { nil } }

  package var integer: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a bool"
    case .integer: "a whole number"
    case .real: "a number with a fraction"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { JSONMember($0.0, $0.1) })
  }

  package init<Value>(_ dictionary: [String: Value], _ json: (Value) -> JSONValue) {
    let sorted = dictionary.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    self = .object(sorted.map { JSONMember($0.key, json($0.value)) })
  }

  package init(_ number: Int) { self = .integer(Int64(number)) }

  package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

  package init(strings: [String]) { self = .array(strings.map(JSONValue.string)) }
}

extension [JSONMember] {
  package init(_ pairs: (String, JSONValue?)...) {
    self = pairs.compactMap { name, value in value.map { JSONMember(name, $0) } }
  }
}

/// A syntax error in a JSON text.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset in bytes from the document's start.
  package let offset: Int
  /// For example `expected a colon`.
  package let reason: String

  package init(at offset: Int, _ reason: String) { (self.offset, self.reason) = (offset, reason) }

  package var description: String { "\(reason) at byte \(offset)" }
}

/// The reason why a document is not the expected metadata, key or configuration.
package enum MalformedJSON: Error, Hashable, Sendable, CustomStringConvertible {
  case syntax(JSONError)
  /// A field is missing or has a wrong type or value; `path` starts at the document's root.
  case field(path: String, reason: String)

  package var description: String {
    switch self {
    case .syntax(let error): error.description
    case .field("", let reason): reason
    case .field(let path, let reason): "\(path): \(reason)"
    }
  }
}
