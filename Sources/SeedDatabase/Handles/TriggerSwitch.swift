import CSQLite

/// Lets the triggers of a connection run or not, as long as it lives; then they are as they were.
package final class TriggerSwitch {
  private let connection: Connection
  private let were: Bool

  package init(_ connection: Connection, areRunning: Bool) throws(DatabaseError) {
    self.connection = connection
    were = seedbank_sqlite_flag(connection.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER) != 0
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, areRunning)
  }

  // Whoever gave the connection finds it as it was, or it is closed.
  deinit { try? connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, were) }
}
