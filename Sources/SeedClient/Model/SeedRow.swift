/// A row of a query's result.
public struct SeedRow: Hashable, Sendable, CustomStringConvertible {
  /// The result's column names, in order.
  public let names: [String]
  /// The values, in order.
  public let values: [SeedValue]

  /// A row with as many values as names.
  package init(names: [String], values: [SeedValue]) { (self.names, self.values) = (names, values) }

  /// The value of the first column of that name; a name that the query does not yield stops the program.
  public subscript(name: String) -> SeedValue {
    guard let index = names.firstIndex(of: name) else {
      preconditionFailure("the query returns no column \"\(name)\", only \(names.joined(separator: ", "))")
    }
    return values[index]
  }

  /// The value of a column, counted from 0; one that the query does not yield stops the program.
  public subscript(index: Int) -> SeedValue { values[index] }

  /// `(id: de:1, name: Alexanderplatz)`; of a long text its beginning.
  public var description: String {
    "(\(zip(names, values).map { "\($0): \($1.brief)" }.joined(separator: ", ")))"
  }
}

extension String {
  /// The text, or its beginning and a mark where it has more characters.
  func shortened(to most: Int) -> String {
    let start = prefix(most)
    return start.endIndex == endIndex ? self : start + "…"
  }
}

extension SeedValue {
  private static let shownCharacters = 200

  /// The value for people to read, of a long text its beginning.
  var brief: String {
    if case .text(let text) = self { text.shortened(to: Self.shownCharacters) } else { description }
  }

  /// The text, where it is one.
  public var string: String? { if case .text(let value) = self { value } else { nil } }

  /// The bytes, where it is a blob.
  public var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }

  /// True for NULL.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The whole number, where it is one.
  public var int: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

  /// The number, where it is one, whole or not.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}
