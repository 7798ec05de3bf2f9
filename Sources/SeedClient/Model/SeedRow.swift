/// A row of a query's result.
public struct SeedRow: Hashable, Sendable, CustomStringConvertible {
  /// The result's column names, in order.
  public let names: [String]
  /// The values, in order.
  public let values: [SeedValue]

  package init(names: [String], values: [SeedValue]) { (self.names, self.values) = (names, values) }

  /// The value of the first column with that name; traps if it is missing.
  public subscript(name: String) -> SeedValue {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("the query returns no column \"\(name)\", only \(names.joined(separator: ", "))")
    }
    return values[index]
  }

  /// The value of the column at `index`; traps if it is missing.
  public subscript(index: Int) -> SeedValue { values[index] }

  /// `(id: de:1, name: Alexanderplatz)`; long texts are shortened.
  public var description: String {
    "(\(zip(names, values).map { "\($0): \($1.brief)" }.joined(separator: ", ")))"
  }
}

extension String {
  func shortened(to most: Int) -> String {
    let start = prefix(most)
    return start.endIndex == endIndex ? self : start + "…"
  }
}

extension SeedValue {
  private static let shownCharacters = 200

  var brief: String {
    if case .text(let text) = self { text.shortened(to: Self.shownCharacters) } else { description }
  }

  /// The value if it is a text.
  public var string: String? { if case .text(let value) = self { value } else { nil } }

  /// The value if it is a blob.
  public var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }

  /// Whether the value is NULL.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The value if it is an integer.
  public var int: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

  /// The value if it is an integer or a real.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}
