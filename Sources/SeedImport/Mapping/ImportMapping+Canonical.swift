import SeedFormat
import SeedTrust

// A mapping as one value that is the same for equal mappings: by it a resumed import knows its mapping again.
extension ImportMapping {
  /// Of all that the mapping says, in one order; of an app's own conversion it is only known that there is one.
  var digest: SHA256Digest { .of(JSONValue.array(lists.map(\.canonical)).bytes) }
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
      case .csv(let format): format.canonical
      }
    return [
      rows.canonical, kind, keyColumn, .array(conditions.map(\.canonical)), JSONValue(file),
      .bool(isOptional), table.canonical,
    ]
  }
}

extension CSVFormat {
  fileprivate var canonical: JSONValue {
    [
      "csv", .string(String(delimiter)), .string(encoding.rawValue), .string(empty.rawValue),
      header.map(JSONValue.init(strings:)) ?? .null, .string(decimal.rawValue), JSONValue(skip),
    ]
  }
}

extension TableMapping {
  fileprivate var canonical: JSONValue {
    [
      .string(table), JSONValue(strings: key), .string(names.rawValue), .string(mode.rawValue),
      .sorted(columns) { [$0.member.canonical, $0.conversion.canonical] },
      .sorted(constants) { $0.canonical }, .sorted(defaults) { $0.canonical },
      .array(relations.map(\.canonical)), emptyTexts.canonical,
    ]
  }
}

extension RelationMapping {
  fileprivate var canonical: JSONValue {
    [
      member.canonical, table.canonical, kind.canonical, layout.canonical,
      .string(mode.rawValue),
    ]
  }
}

extension RelationMapping.Kind {
  fileprivate var canonical: JSONValue {
    switch self {
    case .reference(let foreignKey): ["object", JSONValue(strings: foreignKey)]
    case .children(let parentKey): ["children", JSONValue(strings: parentKey)]
    case .pairs(let through, let parentKey, let elementKey):
      ["pairs", .string(through), JSONValue(strings: parentKey), JSONValue(strings: elementKey)]
    }
  }
}

extension RelationMapping.Layout {
  fileprivate var canonical: JSONValue {
    switch self {
    case .array: "array"
    case .single: "single"
    case .dictionary(let keyColumn): ["dictionary", keyColumn.map { .string($0) } ?? .null]
    }
  }
}

extension TableMapping.EmptyTexts {
  fileprivate var canonical: JSONValue {
    switch self {
    case .kept: "kept"
    case .null: "null"
    case .nullIn(let columns): JSONValue(strings: columns.sorted())
    }
  }
}

extension MemberPath {
  fileprivate var canonical: JSONValue {
    .array(
      steps.map { step in
        switch step {
        case .member(let name): .string(name)
        case .element(let number): .integer(Int64(number))
        }
      })
  }
}

extension RowCondition {
  fileprivate var canonical: JSONValue { [member.canonical, .array(values.map(\.canonical))] }
}

extension ImportConversion {
  fileprivate var canonical: JSONValue {
    switch self {
    case .automatic: "automatic"
    case .custom: "custom"
    case .text: "text"
    case .number: "number"
    case .base64: "base64"
    case .json: "json"
    case .date(let format, let form, let zone):
      ["date", .string("\(format)"), .string(form.rawValue), JSONValue(zone)]
    case .values(let values, let otherwise):
      ["values", .sorted(values) { $0.canonical }, otherwise.map { [$0.canonical] } ?? .null]
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
