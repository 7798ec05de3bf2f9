import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

/// SELECTs of plain columns, whose rows are found by the keys in an origin's log.
@Suite struct PlainSelectTests {
  private static let schema = "CREATE TABLE note(row_number INTEGER PRIMARY KEY, text TEXT, n INTEGER)"

  private func plain(_ sql: String) throws -> PlainSelect? {
    let connection = try Connection("schema", .memory)
    try connection.execute(Self.schema)
    let table = try #require(try SchemaReader(connection).schema().table("note"))
    return PlainSelect(table, Projection(sql: sql, file: "note.sql"))
  }

  @Test func `a SELECT of columns is plain whatever their names are`() throws {
    for sql in [
      "SELECT rowid AS row_number, \"text\", n FROM note",
      "select a as row_number, text, [n] from \"Note\" ;",
      "-- why\nSELECT rowid AS \"row_number\",\n text /* here */, n\nFROM note\n",
    ] {
      let select = try #require(try plain(sql), "\(sql)")
      #expect(select.table == "note" && select.column("TEXT") == "text", "\(sql)")
      #expect(select.column("row_number") == (sql.hasPrefix("select") ? "a" : "rowid"), "\(sql)")
    }
  }

  @Test(arguments: [
    "SELECT DISTINCT n FROM note", "SELECT n FROM note WHERE n > 1", "SELECT n FROM note, other",
    "SELECT n + 1 AS n FROM note", "SELECT max(n) AS n FROM note", "SELECT * FROM note",
    "SELECT 1 AS n FROM note",
    "SELECT 'n' AS n FROM note", "SELECT NULL AS n FROM note", "SELECT note.n FROM note",
    "SELECT n FROM note UNION SELECT n FROM note", "SELECT n FROM note LIMIT 1", "SELECT n FROM main.note",
    "WITH x AS (SELECT 1) SELECT n FROM note", "SELECT n FROM (SELECT n FROM note)", "SELECT n, n FROM note",
    "SELECT n FROM note AS other", "SELECT n n2 FROM note", "SELECT n COLLATE NOCASE FROM note",
  ])
  func `any other SELECT is not plain`(_ sql: String) throws { #expect(try plain(sql) == nil) }

  @Test func `rows with a rowid key are found by the log`() throws {
    let select =
      "-- The rows' numbers are the key.\nSELECT rowid AS row_number, \"text\", \"n\"\nFROM \"note\"\n"
    let deployment = try TestDeployment(
      [model("1.0", Self.schema, projections: ["note": select])], in: try TemporaryFolder(inMemory: true))
    deployment.job.shrinkGuard.percent = 100
    deployment.job.policy.changes = .log
    try deployment.origin(
      "CREATE TABLE note(text TEXT, n INTEGER UNIQUE); INSERT INTO note VALUES ('a', 1), ('b', 2)")
    let setup = try SQLiteLogSetup(deployment.originPath)
    try setup.run(try setup.draft(deployment.job.plans).statements)
    for _ in 0..<2 { _ = try deployment.step() }
    for sql in [
      "INSERT INTO note VALUES ('c', 3), ('d', 4)", "UPDATE note SET text = 'x' WHERE n = 2",
      "UPDATE note SET rowid = rowid + 10 WHERE n = 1",
      "REPLACE INTO note(rowid, text, n) VALUES (40, 'e', 4)",
      "DELETE FROM note WHERE n = 3",
    ] {
      let connection = try Connection(deployment.originPath, .own)
      let triggers = try TriggerSwitch(connection, areRunning: true)
      try connection.execute(sql)
      withExtendedLifetime(triggers) {}
      let report = try deployment.step().series[0]
      #expect(report.foundBy == FoundBy(.log) && report.outcome == .changed, "\(sql): \(report)")
      deployment.job.policy.auditSeconds = 0
      #expect(try deployment.step().series[0].outcome == .unchanged, "\(sql)")
      deployment.job.policy.auditSeconds = 86_400
    }
  }
}
