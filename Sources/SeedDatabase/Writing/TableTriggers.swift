import CSQLite
import SeedFormat

package struct TableTriggers {
  /// Sorted.
  package let names: [String]
  private let connection: Connection
  private let table: TableSchema

  package init(_ connection: Connection, _ table: TableSchema) throws {
    (self.connection, self.table) = (connection, table)
    // `tbl_name` keeps the case of the CREATE TRIGGER statement.
    names = try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name
      """, .text(table.name)
    ).map(\.[0].text)
  }

  /// Every table that a write to this one can change, even through nested triggers, according to SQLite's bytecode.
  /// Triggers must be enabled on the connection.
  package func reachableTables() throws -> Set<String> {
    let sql = TableSQL(table)
    let programs = try [
      sql.insert, sql.update(RowShape(whole: table), at: Array(table.columns.indices)), sql.delete,
    ].map {
      try connection.rows("EXPLAIN \($0)")
    }
    let roots = Set(programs.joined().compactMap(Self.writtenRoot))
    let tables = try connection.rows("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0")
    return Set(tables.filter { roots.contains($0[0]) }.map(\.[1].text))
  }

  private static func writtenRoot(_ instruction: [SeedValue]) -> SeedValue? {
    let main = SeedValue.integer(0)
    let (name, first, second, third) = (instruction[1].text, instruction[2], instruction[3], instruction[4])
    switch name {
    case "OpenWrite": return third == main ? second : nil
    case "Clear": return second == main ? first : nil
    default: return nil
    }
  }
}

/// Enables or disables a connection's triggers during its lifetime.
package final class TriggerSwitch {
  private let connection: Connection
  private let were: Bool

  package init(_ connection: Connection, areRunning: Bool) throws(DatabaseError) {
    self.connection = connection
    were = seedbank_sqlite_flag(connection.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER) != 0
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, areRunning)
  }

  // Setting the flag can fail only on a connection that is closed anyway.
  deinit { try? connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, were) }
}
