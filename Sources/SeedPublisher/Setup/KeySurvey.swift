import SeedDatabase
import SeedFormat

/// Columns that can identify the rows of an origin's table.
struct KeySurvey: Sendable {
  /// Primary key columns that are NULL in some row, which SQLite allows except in WITHOUT ROWID tables.
  let nullColumns: [String]
  /// The rowid's name in a SELECT; nil for WITHOUT ROWID tables, and for tables with columns that hide all its names.
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
