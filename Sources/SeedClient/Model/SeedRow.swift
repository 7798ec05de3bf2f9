public import SeedFormat

/// A row of a query's result.
public struct SeedRow: Hashable, Sendable, CustomStringConvertible {
  /// The result's column names, in order.
  public let names: [String]
  /// The values, in order.
  public let values: [SeedValue]

  package init(names: [String], values: [SeedValue]) { (self.names, self.values) = (names, values) }

  /// The value of the first column with that name; `nil` if the query returns no such column.
  public subscript(name: String) -> SeedValue? { names.firstIndex(of: name).map { values[$0] } }

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

  /// Whether the value is NULL.
  public var isNull: Bool { if case .null = self { true } else { false } }
}
