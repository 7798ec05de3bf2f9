import CSQLite
import SeedFormat

extension Connection {
  package func triggers(of table: String) throws -> [String] {
    // `tbl_name` keeps the case of the CREATE TRIGGER statement.
    try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
      .text(table)
    ).map(\.[0].text)
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
