import Foundation
import Support

/// A transaction that has written and stays open until ``commit()``.
struct LateTransaction {
  private let database: PostgresDatabase

  /// Starts the transaction, which then waits for a lock held by another session.
  init(_ sql: String, _ database: PostgresDatabase) throws {
    self.database = database
    Thread { _ = try? database.run("SELECT pg_advisory_lock(7); SELECT pg_sleep(600)") }.start()
    try waitUntil("the lock is held", every: 0.01) { try count("granted") == "1\n" }
    Thread { _ = try? database.run("BEGIN; \(sql); SELECT pg_advisory_xact_lock(7); COMMIT") }.start()
    try waitUntil("the transaction waits", every: 0.01) { try count("NOT granted") == "1\n" }
  }

  func commit() throws {
    try database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND \(isHere)")
    try waitUntil("the transaction has ended", every: 0.01) { try count("true") == "0\n" }
  }

  private let isHere = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"

  private func count(_ condition: String) throws -> String {
    try database.run(
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND \(condition) AND \(isHere)")
  }
}
