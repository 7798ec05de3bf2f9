import CSQLite

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
