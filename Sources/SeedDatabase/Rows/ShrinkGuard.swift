/// Holds back a change that deletes too many of a table's rows, or of a column's values, so that an origin or a feed
/// that was emptied or is being reloaded cannot empty the published data. Pure.
package struct ShrinkGuard: Hashable, Sendable {
  /// The largest share of lost rows or column values that is published; 100 allows every loss.
  package var percent = 50
  /// Smaller tables are not checked, because few changed rows are a large share of them.
  package var minimumRows = 100

  package init() {}

  package func holdsBack(from old: Int, to new: Int) -> Bool {
    old >= max(minimumRows, 1) && new < old && Double(old - new) * 100 > Double(old) * Double(percent)
  }
}

/// A table that lost many rows, or a column that lost many values.
package struct ShrunkTable: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  /// Nil if the table lost rows.
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
