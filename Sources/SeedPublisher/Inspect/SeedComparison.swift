package import SeedDatabase
package import SeedFormat

package struct TableComparison: Sendable {
  package enum Presence: String, Sendable {
    case both, onlyOld, onlyNew
    /// Both sides have the table, but with incompatible keys.
    case otherKey
  }

  package let name: String
  package let presence: Presence
  package var changes = TableChanges()
  /// Columns that only one side has. Their values are not compared.
  package var removedColumns: [String] = []
  package var addedColumns: [String] = []

  package var isSame: Bool {
    presence == .both && changes.isEmpty && removedColumns.isEmpty && addedColumns.isEmpty
  }
}

package struct RowDifference: Sendable {
  package let table: TableSchema
  /// The common columns, in the order of the values in `old` and `new`.
  package let columns: [String]
  package let key: [SeedValue]
  /// `nil` if the row was inserted.
  package let old: [SeedValue]?
  /// `nil` if the row was deleted.
  package let new: [SeedValue]?
}

/// Compares two databases table by table in key order, with two rows in memory.
package struct SeedComparison {
  private let old: Connection
  private let new: Connection
  private let schemas: (old: DatabaseSchema, new: DatabaseSchema)

  /// All tables must have keys.
  package init(old: Connection, new: Connection) throws {
    (self.old, self.new) = (old, new)
    schemas = (try SchemaReader(old).schema(), try SchemaReader(new).schema())
  }

  /// Calls `tell` for each row that differs. Returns the differences of all tables, by name.
  package func run(_ tell: (RowDifference) throws -> Void) throws -> [TableComparison] {
    // Both files may have a table under names that differ only in case.
    let gone = schemas.old.tables.map(\.name).filter { schemas.new.table($0) == nil }
    let names = schemas.new.tables.map(\.name) + gone
    return try names.sorted().compactMap { try compare(schemas.old.table($0), schemas.new.table($0), tell) }
  }

  private func compare(
    _ before: TableSchema?, _ after: TableSchema?, _ tell: (RowDifference) throws -> Void
  ) throws -> TableComparison? {
    guard let table = after ?? before, let former = before ?? after else { return nil }
    let (formerNames, names) = (former.columnNames.map(\.foldedName), table.columnNames.map(\.foldedName))
    let isSameKey =
      former.keyNames.map(\.foldedName) == table.keyNames.map(\.foldedName)
      && former.keyCollations == table.keyCollations
    var found = TableComparison(
      name: table.name,
      presence: before == nil ? .onlyNew : after == nil ? .onlyOld : isSameKey ? .both : .otherKey)
    found.removedColumns = former.columnNames.filter { !names.contains($0.foldedName) }
    found.addedColumns = table.columnNames.filter { !formerNames.contains($0.foldedName) }
    guard isSameKey else { return found }
    let common = table.columnNames.filter { !found.addedColumns.contains($0) }
    found.changes = try compareRows(table, common, before.map { _ in old }, after.map { _ in new }, tell)
    return found
  }

  /// Compares the given columns. Reads the others as NULL, so that the key columns keep their positions.
  private func compareRows(
    _ table: TableSchema, _ columns: [String], _ old: Connection?, _ new: Connection?,
    _ tell: (RowDifference) throws -> Void
  ) throws -> TableChanges {
    let selected = table.columnNames.map { columns.contains($0) ? quoted($0) : "NULL" }
    let sql =
      "SELECT \(selected.joined(separator: ", ")) FROM \(quoted(table.name)) ORDER BY \(TableSQL(table).keyOrder)"
    let before = try old.map { StatementRows(try $0.prepare(sql)) }
    let after = try new.map { StatementRows(try $0.prepare(sql)) }
    let places = columns.compactMap { table.columnNames.firstIndex(of: $0) }
    func values(_ places: [Int], _ row: [BorrowedValue]?) -> [SeedValue]? {
      row.map { row in places.map { row[$0].owned } }
    }
    var merge = RowMerge(table, old: before, new: after)
    var changes = TableChanges()
    while let match = try merge.next() {
      switch match {
      case .same: continue
      case .onlyOld: changes.deleted += 1
      case .onlyNew: changes.inserted += 1
      case .different: changes.updated += 1
      }
      let (oldRow, newRow) = (match == .onlyNew ? nil : before?.row, match == .onlyOld ? nil : after?.row)
      try tell(
        RowDifference(
          table: table, columns: columns, key: values(table.key, newRow ?? oldRow) ?? [],
          old: values(places, oldRow), new: values(places, newRow)))
    }
    return changes
  }
}
