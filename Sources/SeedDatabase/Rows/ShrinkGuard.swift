/// Holds back what takes more rows from a table than a day's work does, or a column's values from as many: an origin or a
/// feed that was emptied, or is being loaded again, must not empty the published data. Pure.
package struct ShrinkGuard: Hashable, Sendable {
  /// A table that lost more than that share of its rows, or of a column's values, is held back; 100 allows everything.
  package var percent = 50
  /// Smaller tables are not checked: few rows come and go.
  package var minimumRows = 100

  package init() {}

  /// Whether a table with so many rows must not come to have so few.
  package func holdsBack(from old: Int, to new: Int) -> Bool {
    old >= max(minimumRows, 1) && new < old && Double(old - new) * 100 > Double(old) * Double(percent)
  }
}

/// A table that lost many rows, or one of its columns that lost many values.
package struct ShrunkTable: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  /// `nil` if the table lost rows.
  package let column: String?
  package let before: Int
  package let after: Int

  package init(name: String, column: String? = nil, before: Int, after: Int) {
    (self.name, self.column, self.before, self.after) = (name, column, before, after)
  }

  package var description: String {
    let subject = column.map { "column \"\($0)\" of table" } ?? "table"
    return "\(subject) \"\(name)\" would go from \(before) to \(after) \(column == nil ? "rows" : "values")"
  }
}
