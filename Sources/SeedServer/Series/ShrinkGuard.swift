import SeedDatabase

/// Holds a dataset back when a table lost more rows than a day's work takes: an origin that was emptied, or caught
/// in the middle of being loaded anew, must not empty every client. Pure.
package struct ShrinkGuard: Hashable, Sendable {
  /// A table that lost more than that share of its rows holds the dataset; 100 holds nothing.
  package var percent = 50
  /// A table that had fewer rows is not looked at: few rows come and go.
  package var minimumRows = 100

  package init() {}

  /// The tables that shrank beyond what is allowed.
  func shrunk(before: [String: TableSum], after: [String: TableSum]) -> [ShrunkTable] {
    before.keys.sorted().compactMap { name -> ShrunkTable? in
      guard let old = before[name]?.rows, let new = after[name]?.rows else { return nil }
      return isShrunk(old, new) ? ShrunkTable(name: name, before: old, after: new) : nil
    }
  }

  private func isShrunk(_ old: Int, _ new: Int) -> Bool {
    guard old >= max(minimumRows, 1), new < old else { return false }
    return Double(old - new) * 100 > Double(old) * Double(percent)
  }
}

/// A table that lost many rows.
package struct ShrunkTable: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package let before: Int
  package let after: Int

  package var description: String { "table \"\(name)\" would go from \(before) to \(after) rows" }
}
