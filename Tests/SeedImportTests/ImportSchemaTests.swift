import SeedFormat
import SeedImport
import Support
import Testing

/// Tables whose schema calls functions, as in apps.
@Suite struct ImportSchemaTests {
  private func bench(_ schema: String) throws -> ImportBench {
    let bench = try ImportBench("")
    try bench.execute(schema)
    return bench
  }

  @Test(arguments: [
    (
      "stops",
      " (it is a view or a virtual table, and imports write only ordinary tables), did you mean \"stop\"?"
    ),
    ("find", " (it is a view or a virtual table, and imports write only ordinary tables)"),
    ("find_data", " (it is a view or a virtual table, and imports write only ordinary tables)"),
    ("stob", ", did you mean \"stop\"?"),
  ])
  func `a view or virtual table is rejected as such, with the nearest table`(name: String, words: String)
    throws
  {
    let bench = try bench(
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT); CREATE VIEW stops AS SELECT * FROM stop;
      CREATE VIRTUAL TABLE find USING fts5(name);
      """)
    let failure = bench.failure("[]", mapping: ImportMapping(TableMapping(name)))
    #expect(failure?.code == .mapping && failure?.message == "there is no table \"\(name)\"\(words)")
  }

  @Test func `a database without tables is reported`() throws {
    let failure = try ImportBench("").failure("[]", mapping: ImportMapping("stop"))
    #expect(failure?.message == "there is no table \"stop\" (the database has no tables: create them first)")
  }

  @Test func `an index and a generated column may call a JSON function`() throws {
    let bench = try bench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, extra TEXT, kind TEXT AS (extra ->> 'kind') STORED);
      CREATE UNIQUE INDEX by_code ON item(json_extract(extra, '$.code'));
      CREATE INDEX of_kind ON item(id) WHERE json_type(extra, '$.kind') IS NOT NULL;
      """)
    let mapping = ImportMapping(TableMapping("item", columns: ["extra": .from("extra", .json)]))
    let rows = { (first: Int, second: Int) in
      #"[{"id": 1, "extra": {"code": \#(first), "kind": "a"}}, {"id": 2, "extra": {"code": \#(second)}}]"#
    }
    try bench.run(rows(7, 8), mapping: mapping)
    // The first row takes the old value of the second.
    try bench.run(rows(8, 9), mapping: mapping)
    #expect(try bench.rows("SELECT id, kind FROM item") == ["1|a", "2|NULL"])
    #expect(try bench.rows("SELECT json_extract(extra, '$.code') FROM item ORDER BY id") == ["8", "9"])
  }
}
