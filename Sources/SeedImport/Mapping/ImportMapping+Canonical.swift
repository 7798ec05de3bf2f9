package import SeedFormat

// A mapping as one value that is the same for equal mappings: by it a resumed import knows its mapping again.
extension ImportMapping {
  /// All that the mapping says, in one order. Of an app's own conversion it is only known that there is one.
  package var canonical: JSONValue { .array(lists.map(\.canonical)) }
}

extension ImportMapping.List {
  fileprivate var canonical: JSONValue {
    let keyColumn: JSONValue = if case .dictionary(let name) = layout { .string(name) } else { .null }
    let kind: JSONValue =
      switch layout {
      case .array: "array"
      case .dictionary: "dictionary"
      case .single: "single"
      case .lines: "lines"
      }
    return [JSONValue(strings: rows.names), kind, keyColumn, table.canonical]
  }
}

extension TableMapping {
  fileprivate var canonical: JSONValue {
    [
      .string(table), JSONValue(strings: key), .string(names.rawValue), .string(mode.rawValue),
      .sorted(columns) { [JSONValue(strings: $0.member.names), .string($0.conversion.name)] },
      .sorted(constants) { $0.canonical }, .sorted(defaults) { $0.canonical },
      .array(relations.map(\.canonical)),
    ]
  }
}

extension RelationMapping {
  fileprivate var canonical: JSONValue {
    switch self {
    case .object(let path, let table, let foreignKey):
      ["object", JSONValue(strings: path.names), table.canonical, JSONValue(strings: foreignKey)]
    case .array(let path, let table, let parentKey):
      ["array", JSONValue(strings: path.names), table.canonical, JSONValue(strings: parentKey)]
    case .join(let path, let table, let through, let parentKey, let elementKey):
      [
        "join", JSONValue(strings: path.names), table.canonical, .string(through),
        JSONValue(strings: parentKey), JSONValue(strings: elementKey),
      ]
    }
  }
}

extension ImportConversion {
  fileprivate var name: String {
    switch self {
    case .automatic: "automatic"
    case .iso8601(let origin): "iso8601 since \(origin.rawValue)"
    case .text: "text"
    case .number: "number"
    case .base64: "base64"
    case .json: "json"
    case .custom: "custom"
    }
  }
}

extension SeedValue {
  /// With its type: the text `1` is another value than the number.
  fileprivate var canonical: JSONValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): ["real", .string("\(value)")]
    case .text(let text): .string(text)
    case .blob(let bytes): ["blob", .string(lowerHex(bytes))]
    }
  }
}

extension JSONValue {
  fileprivate static func sorted<Value>(
    _ values: [String: Value], _ canonical: (Value) -> JSONValue
  ) -> JSONValue {
    .array(values.sorted { $0.key < $1.key }.map { [.string($0.key), canonical($0.value)] })
  }
}
