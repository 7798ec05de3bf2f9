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

  @Test(arguments: [
    "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT 1;; -- and\n SELECT 2", "SELECT 1\0, 2",
    "SELECT ?, ?",
    "SELECT ?2", "SELECT 1", "COMMIT", "END", "ROLLBACK", "BEGIN", "SAVEPOINT here",
    "ATTACH ':memory:' AS other",
    "DETACH main", "PRAGMA wal_autocheckpoint = 1000", "PRAGMA wal_checkpoint", "PRAGMA query_only(1)",
    "DELETE FROM stop", "CREATE TEMP TABLE mine(a)", "", "-- nothing",
  ])
  func `an invalid query is reported and the transaction continues`(_ sql: String) async throws {
    let store = try fixture.store()
    let count = try await store.read { reader in
      do {
        Issue.record("\(try reader.rows(SeedQuery(sql: sql, values: [1])))")
      } catch let error as SeedError {
        #expect(error.code == .query && (sql.isEmpty || error.message.contains(sql)), "\(error)")
      }
      return try reader.value("SELECT count(*) FROM stop", as: Int.self)
    }
    #expect(count == 1)
  }

  @Test(arguments: [
    "SELECT ?1, ?1", "SELECT ?; -- that is all", "SELECT ? ;;\n /* really */ ;",
    "WITH n AS (SELECT ?) SELECT * FROM n",
    "EXPLAIN QUERY PLAN SELECT name FROM stop WHERE id = ?", "VALUES (?)",
    "SELECT name FROM pragma_table_info('stop') WHERE cid >= ?",
  ])
  func `a single statement may have trailing comments and white space`(_ sql: String) async throws {
    let store = try fixture.store()
    let rows = try await store.read { reader in try reader.rows(SeedQuery(sql: sql, values: [0])) }
    #expect(!rows.isEmpty)
  }

  @Test(arguments: ["PRAGMA table_info(stop)", "PRAGMA Index_List('line')", "PRAGMA user_version"])
  func `a pragma that returns information is allowed`(_ sql: String) async throws {
    let store = try fixture.store()
    #expect(try await store.read { reader in try reader.rows(SeedQuery(sql: sql)) }.isEmpty == false)
  }

  @Test func `a live query ends with its error`() async throws {
    let store = try fixture.store()
    var rows = store.observe("SELECT ?, ?").makeAsyncIterator()
    try await store.prepare()
    let error = await #expect(throws: SeedError.self) { while try await rows.next() != nil {} }
    #expect(error?.code == .query)
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
  }

  @Test func `invalid text is the app's fault because the app may have created it`() {
    #expect(SeedError(ofQuery: InvalidText(column: "name")).code == .query)
  }
}
