import Foundation
import SeedFormat
import Support
import Testing

/// `init` reports everything it skips with name, reason and remedy, and each remedy works.
@Suite struct SkippedPartsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private static let odd = """
    CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, doc TEXT DEFAULT '{}',
      kind TEXT AS (json_extract(doc, '$.kind')) VIRTUAL);
    CREATE TABLE word(word TEXT PRIMARY KEY NOT NULL COLLATE uint, n INT);
    CREATE TABLE seedbank_own(id INTEGER PRIMARY KEY, x TEXT);
    CREATE TABLE log(rowid TEXT, _rowid_ TEXT, oid TEXT);
    CREATE VIRTUAL TABLE note USING fts5(body);
    CREATE VIRTUAL TABLE old_note USING fts4(body);
    CREATE VIEW lines AS SELECT rowid AS id, oid AS line FROM log;
    CREATE VIEW upper_lines AS SELECT id, upper(line) AS line FROM lines;
    INSERT INTO place(id, name, doc) VALUES(1, 'A', '{"kind": "port"}'), (2, 'B', '{}');
    INSERT INTO word VALUES('ten', 10);
    INSERT INTO seedbank_own VALUES(7, 'own');
    INSERT INTO log VALUES('l1', '', 'first'), ('l2', '', 'second');
    INSERT INTO note VALUES('some words'), ('more');
    INSERT INTO old_note VALUES('older');
    """

  /// Applies the remedies: these tables in schema.sql, and the SELECTs beside it.
  private static let mended = """

    CREATE TABLE own(id INTEGER PRIMARY KEY, x TEXT);
    CREATE TABLE log(rowid TEXT PRIMARY KEY NOT NULL, oid TEXT);
    CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT);
    CREATE TABLE old_notes(id INTEGER PRIMARY KEY, body TEXT);
    CREATE VIRTUAL TABLE search USING fts5(body, content='notes', content_rowid='id');
    CREATE TABLE upper_lines(id TEXT PRIMARY KEY NOT NULL, line TEXT);
    """

  private static let selects = [
    "own": "SELECT id, x FROM seedbank_own", "notes": "SELECT rowid AS id, body FROM note",
    "old_notes": "SELECT docid AS id, body FROM old_note",
  ]

  @Test func `everything that init skips can be published by its remedy`() throws {
    try folder.sqlite("odd.sqlite", Self.odd)
    let outcome = try folder.seedbank("init", "odd.sqlite", "--json").expect(0)
    let skipped = try #require(try JSONValue(parsing: Array(outcome.output.utf8))["skipped"]?.elements)
    #expect(skipped.count == 6)
    #expect(skipped.allSatisfy { $0["remedy"]?.string?.isEmpty == false && $0["reason"]?.string != nil })
    let model = "seedbank/odd/models/1.0"
    try folder.edit("\(model)/schema.sql") { $0 + Self.mended }
    for (table, select) in Self.selects { try folder.write(select, to: "\(model)/\(table).sql") }
    try folder.seedbank("regenerate").expect(0)
    let rows = try folder.sqlite(
      "seedbank/state/odd-1.sqlite",
      """
      SELECT id, name, kind FROM place; SELECT * FROM word; SELECT * FROM own; SELECT * FROM log; SELECT * FROM notes;
      SELECT * FROM old_notes; SELECT * FROM upper_lines;
      """)
    #expect(
      rows == """
        1|A|port
        2|B|
        ten|10
        7|own
        l1|first
        l2|second
        1|some words
        2|more
        1|older
        l1|FIRST
        l2|SECOND

        """)
  }

  @Test func `names with one reason share one line, which a later dry run prints again`() throws {
    let triggers = (0..<20).map { "CREATE TRIGGER t\($0) AFTER INSERT ON t BEGIN SELECT 1; END;" }
    let tables = (1...5).map { "CREATE TABLE k\($0)(id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;" }
    try folder.sqlite(
      "many.sqlite", "CREATE TABLE t(id INTEGER PRIMARY KEY);\n\((triggers + tables).joined())")
    let told = try folder.succeed("init", "many.sqlite")
    func lines(_ words: String) -> [Substring] { told.split(separator: "\n").filter { $0.contains(words) } }
    let skipped = lines("seeds have no triggers")
    #expect(skipped.count == 1 && (0..<20).allSatisfy { skipped[0].contains("\"t\($0)\"") }, "\(told)")
    let keyed = lines("WITHOUT ROWID")
    let list = #"WITHOUT ROWID: "k1", "k2", "k3", "k4", "k5": "#
    #expect(keyed.count == 1 && keyed[0].contains(list), "\(told)")
    let dry = try folder.succeed("init", "many.sqlite", "--dry-run", "--directory", "other")
    #expect(dry.contains(skipped[0]) && !folder.exists("other"))
    try folder.succeed("config", "check")
  }
}
