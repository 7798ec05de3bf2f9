import SeedDatabase
import SeedFormat

/// The names of a document's fields, and the value of an empty field in each.
final class RecordHeader {
  /// The value of an empty field: NULL, or the empty string.
  struct Empty {
    var bare = JSONTape.Kind.null
    var quoted = JSONTape.Kind.null
  }

  let names: [String]
  let empties: [Empty]
  let texts: [UnsafeBufferPointer<UInt8>]
  private let bytes = LentBytes()

  init(_ names: [String], _ empties: (String) -> Empty) {
    self.names = names
    self.empties = names.map(empties)
    let bytes = bytes
    texts = Self.distinct(names).map { Array($0.utf8).withUnsafeBufferPointer { bytes.copy($0) } }
  }

  /// Appends numbers to repeated names, because an object's names must be unique. Nothing reads these fields.
  private static func distinct(_ names: [String]) -> [String] {
    var seen = Set(names.map { Array($0.utf8) })
    var latest: [[UInt8]: Int] = [:]
    return names.map { name in
      let number = latest.updateValue(1, forKey: Array(name.utf8))
      guard var number else { return name }
      repeat { number += 1 } while !seen.insert(Array("\(name) (\(number))".utf8)).inserted
      latest[Array(name.utf8)] = number
      return "\(name) (\(number))"
    }
  }
}

extension CSVFormat.EmptyFields {
  /// The value of an empty field, by the column's type and nullability.
  func kinds(_ column: ColumnSchema, isReference: Bool = false) -> RecordHeader.Empty {
    let isRequired = column.isNotNull && !isReference
    let required: JSONTape.Kind = column.affinity == .text && isRequired ? .string : .null
    let text: JSONTape.Kind = column.affinity == .text ? .string : .null
    return switch self {
    case .quotes: RecordHeader.Empty(bare: required, quoted: column.takesTexts ? .string : .null)
    case .null: RecordHeader.Empty()
    case .text: RecordHeader.Empty(bare: text, quoted: text)
    case .auto: RecordHeader.Empty(bare: required, quoted: required)
    }
  }
}

extension ColumnSchema {
  /// Whether the column stores strings, including empty ones, unchanged.
  fileprivate var takesTexts: Bool {
    switch affinity {
    case .text, .numeric: true
    case .blob: !declaredType.uppercased().contains("BLOB")
    case .integer, .real: false
    }
  }
}
