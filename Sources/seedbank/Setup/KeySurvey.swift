import SeedDatabase
import SeedFormat

/// The columns that can identify the rows of an origin's table.
struct KeySurvey: Sendable {
  /// Columns of the primary key that are NULL in some row: SQLite allows it outside of WITHOUT ROWID tables.
  let nullColumns: [String]
  /// A name by which a SELECT gets at the rows' numbers. Tables WITHOUT ROWID have none, and a column that has one of
  /// the names takes it away.
  let rowNumber: String?

  private static let rowNumberNames = ["rowid", "_rowid_", "oid"]

  init(_ connection: Connection, table: String, isWithoutRowid: Bool) throws {
    let columns = try connection.rows("SELECT name, pk FROM pragma_table_xinfo(?)", .text(table))
    let names = Set(columns.map { $0[0].text.lowercased() })
    rowNumber = isWithoutRowid ? nil : Self.rowNumberNames.first { !names.contains($0) }
    let key = isWithoutRowid ? [] : columns.filter { $0[1] != .integer(0) }.map { $0[0].text }
    nullColumns = try key.filter { column in
      let sql = "SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IS NULL LIMIT 1"
      return try connection.value(sql) != nil
    }
  }
}
