import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedClient

/// A query must be one statement that only reads. Anything else is an error.
@Suite struct QuestionTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  private static let invalid = [
    "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT 1;; -- and\n SELECT 2", "SELECT 1\0, 2",
    "SELECT ?, ?",
    "SELECT ?2", "SELECT 1", "COMMIT", "END", "ROLLBACK", "BEGIN", "SAVEPOINT here",
    "ATTACH ':memory:' AS other", "DETACH main", "PRAGMA wal_autocheckpoint = 1000", "PRAGMA wal_checkpoint",
    "PRAGMA query_only(1)", "DELETE FROM stop", "CREATE TEMP TABLE mine(a)", "", "-- nothing",
  ]

  @Test func `an invalid query is reported and the transaction continues`() async throws {
    try await fixture.store().read { reader in
      for sql in Self.invalid {
        do {
          Issue.record("\(try reader.rows(SeedQuery(sql: sql, values: [1])))")
        } catch let error as SeedError {
          #expect(error.code == .query && (sql.isEmpty || error.message.contains(sql)), "\(error)")
        }
        #expect(try reader.value("SELECT count(*) FROM stop", as: Int.self) == 1, "\(sql)")
      }
    }
  }

  private static let valid: [(sql: String, values: [SeedValue])] = [
    ("SELECT ?1, ?1", [0]), ("SELECT ?; -- that is all", [0]), ("SELECT ? ;;\n /* really */ ;", [0]),
    ("WITH n AS (SELECT ?) SELECT * FROM n", [0]),
    ("EXPLAIN QUERY PLAN SELECT name FROM stop WHERE id = ?", [0]), ("VALUES (?)", [0]),
    ("SELECT name FROM pragma_table_info('stop') WHERE cid >= ?", [0]), ("PRAGMA table_info(stop)", []),
    ("PRAGMA Index_List('line')", []), ("PRAGMA user_version", []),
  ]

  @Test func `a single statement may have trailing comments and white space, or be a pragma that informs`()
    async throws
  {
    try await fixture.store().read { reader in
      for (sql, values) in Self.valid {
        let rows = try reader.rows(SeedQuery(sql: sql, values: values))
        #expect(!rows.isEmpty, "\(sql)")
      }
    }
  }
}

@Suite struct QueryErrorTests {
  @Test(
    arguments: [
      (1, .query), (8, .query), (25, .query), (11, .damaged), (26, .damaged), (5, .io), (10 | 1 << 8, .io),
      (14, .io), (3, .io), (8 | 5 << 8, .io), (13, .insufficientSpace),
    ] as [(Int32, SeedError.Code)])
  func `a failed query is the app's fault unless a file, a disk or another connection caused it`(
    _ code: Int32, _ expected: SeedError.Code
  ) {
    let error = SeedError(ofQuery: DatabaseError(code: code, message: "no", subject: "SELECT 1"))
    #expect(error.code == expected && error.isRetryable == (expected != .query))
    // The app may have stored the invalid text.
    #expect(SeedError(ofQuery: InvalidText(column: "name")).code == .query)
  }
}
