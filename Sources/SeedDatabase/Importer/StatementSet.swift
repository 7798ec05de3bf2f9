import CSQLite

/// The prepared statements behind one table and shape.
final class StatementSet {
  let find: Statement
  let insert: Statement
  let insertIfAbsent: Statement
  let insertWhole: Statement
  let update: Statement
  let delete: Statement
  /// Where the shape's columns stand in ``find``'s rows.
  let foundColumns: [Int32]
  private let findsWhole: Bool
  private let shape: RowShape
  private let connection: Connection

  /// `findsWhole`: look-ups read every stored column, for sums or for rows that list only some.
  init(_ layout: TableLayout, _ shape: RowShape, findsWhole: Bool, _ connection: Connection)
    throws(DatabaseError)
  {
    let sql = TableSQL(layout)
    find = try connection.prepare(findsWhole ? sql.find : sql.find(shape))
    insert = try connection.prepare(sql.insert(shape))
    insertIfAbsent = try connection.prepare(sql.insertIfAbsent(shape))
    insertWhole = shape.isWhole ? insert : try connection.prepare(sql.insert)
    update = try connection.prepare(sql.update(shape))
    delete = try connection.prepare(sql.delete)
    foundColumns = shape.columns.indices.map { Int32(findsWhole ? shape.columns[$0] : $0) }
    self.findsWhole = findsWhole
    self.shape = shape
    self.connection = connection
  }

  /// Where a stored column stands in ``find``'s rows.
  func foundColumn(declared column: Int) -> Int32 {
    Int32(findsWhole ? column : shape.declaredOrder[column])
  }

  /// Whether the latest insertion, update or deletion touched a row.
  var didChange: Bool { connection.changes > 0 }
}

/// Statements that an import ran.
package struct StatementCounts: Hashable, Sendable {
  /// Look-ups by key.
  package var lookups = 0
  /// Insertions, updates and deletions.
  package var writes = 0

  package init() {}
}
