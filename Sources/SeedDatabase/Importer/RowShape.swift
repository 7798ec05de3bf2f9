import SeedFormat

/// Which of a table's columns the rows of an import hold, and in which order.
package struct RowShape: Hashable, Sendable {
  /// Indexes into the table's stored columns, in the order of the rows' values.
  package let columns: [Int]
  /// Where the key's values stand in a row, in the key's order.
  package let key: [Int]
  /// Whether every stored column is there.
  package let isWhole: Bool
  /// Where each stored column's value stands in a row, for a whole row.
  let declaredOrder: [Int]
  package let affinities: [Affinity]

  /// Rows with every stored column, in declared order.
  package init(whole table: TableSchema) {
    self.init(checked: Array(table.columns.indices), table)
  }

  /// Rows with these columns; `nil` where one is not the table's, comes twice, or the key is not among them.
  package init?(_ columns: [Int], of table: TableSchema) {
    guard Set(columns).count == columns.count, columns.allSatisfy(table.columns.indices.contains),
      table.key.allSatisfy(columns.contains)
    else { return nil }
    self.init(checked: columns, table)
  }

  private init(checked columns: [Int], _ table: TableSchema) {
    self.columns = columns
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    isWhole = columns.count == table.columns.count
    declaredOrder = table.columns.indices.compactMap { columns.firstIndex(of: $0) }
    affinities = columns.map { table.columns[$0].affinity }
  }
}
