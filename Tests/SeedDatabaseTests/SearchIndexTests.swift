import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite struct SearchIndexTests {
  static let seeds = Stage.pick(quick: 3, full: 25, deep: 25)
  static let steps = 12
  private static let sql = """
    CREATE TABLE note(id TEXT PRIMARY KEY, title TEXT, body TEXT, other INTEGER, number INTEGER NOT NULL UNIQUE,
      shout AS (upper(title)));
    CREATE VIRTUAL TABLE plain USING fts5(title, body, content=note);
    CREATE VIRTUAL TABLE numbered USING fts5(shout, id UNINDEXED, content='note', content_rowid='number');
    """

  @Test func `search tables match their content after every step`() throws {
    for seed in 0..<UInt64(Self.seeds) {
      var random = SplitMix(seed: seed)
      let connection = try Connection("search", .memory)
      try connection.execute(Self.sql)
      let schema = try makeSeed(connection)
      for step in 0..<Self.steps {
        let count = step == 0 ? 300 : random.pick([1, 5, 30, 200])
        try connection.transaction {
          let writer = try SeedWriter(connection, schema)
          for _ in 0..<count { try change(writer, schema.tables[0], &random) }
          _ = try writer.finish()
        }
        for table in ["plain", "numbered"] { try check(table, connection, "seed \(seed), step \(step)") }
      }
    }
  }

  @Test func `a search table with abbreviated options, which SQLite accepts, matches its content`() throws {
    let connection = try Connection("search", .memory)
    try connection.execute(
      """
      CREATE TABLE note(title TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE);
      CREATE VIRTUAL TABLE numbered USING fts5(title, content_r = 'number', Cont = 'note');
      """)
    let schema = try makeSeed(connection)
    #expect(schema.searchTables == [SearchTable(name: "numbered", content: "note")])
    try connection.transaction {
      let writer = try SeedWriter(connection, schema)
      try writer.upsert([.text("green"), .integer(7)], in: schema.tables[0])
      _ = try writer.finish()
    }
    #expect(try connection.integer("SELECT rowid FROM numbered WHERE numbered MATCH 'green'") == 7)
  }

  @Test func `a search table may name its content and rowid by bare words with letters beyond ASCII`() throws
  {
    let connection = try Connection("search", .memory)
    try connection.execute(
      """
      CREATE TABLE straße(title TEXT PRIMARY KEY, größe INTEGER NOT NULL UNIQUE);
      CREATE VIRTUAL TABLE numbered USING fts5(title, content=STRAßE, content_rowid=größe);
      """)
    let schema = try makeSeed(connection)
    #expect(schema.searchTables == [SearchTable(name: "numbered", content: "straße")])
    try connection.transaction {
      let writer = try SeedWriter(connection, schema)
      try writer.upsert([.text("green"), .integer(7)], in: schema.tables[0])
      _ = try writer.finish()
    }
    let match = "SELECT rowid FROM numbered WHERE numbered MATCH 'green'"
    #expect(try connection.integer(match) == 7)
    try connection.execute("INSERT INTO numbered(numbered) VALUES ('delete-all')")
    try SearchIndex.rebuild(over: ["straße"], connection)
    #expect(try connection.integer(match) == 7)
  }

  private func change(
    _ writer: SeedWriter, _ table: TableSchema, _ random: inout SplitMix
  ) throws {
    let number = Int64.random(in: 0...400, using: &random)
    if random.chance(20) { return try writer.delete(key: [.text("id \(number)")], in: table) }
    let words = (0..<3).map { _ in random.pick(["red", "green", "blue", "ü", ""]) }
    try writer.upsert(
      [
        .text("id \(number)"), random.chance(10) ? .null : .text(words.joined(separator: " ")),
        .text(words[0]),
        .integer(number % 3), .integer(number),
      ], in: table)
  }

  private func check(_ table: String, _ connection: Connection, _ place: String) throws {
    #expect(throws: Never.self, "\(place)") {
      try connection.execute("INSERT INTO \(table)(\(table), rank) VALUES ('integrity-check', 1)")
    }
    let column = table == "plain" ? "title" : "shout"
    let found = try connection.integer(
      "SELECT count(*) FROM \(table) WHERE \(table) MATCH '\(column): green'")
    let expected = try connection.integer("SELECT count(*) FROM note WHERE title LIKE '%green%'")
    #expect(found == expected, "\(place)")
  }
}
