import SeedFormat
import Support
import Testing

/// `init` and `config check` with features that SQLite lacks and with missing privileges.
@Suite struct PostgresSetupTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func database(_ sql: String) throws -> PostgresDatabase {
    try PostgresCluster.shared.get().database(sql)
  }

  @Test func `init skips and names what SQLite lacks, with dependent indexes`() throws {
    let database = try database(
      """
      CREATE SCHEMA more; CREATE TABLE more.far(id int PRIMARY KEY);
      CREATE TABLE sqlite_x(id int PRIMARY KEY); CREATE TABLE note(said text UNIQUE);
      CREATE TABLE shop(id int PRIMARY KEY, m money, x int REFERENCES sqlite_x, f int REFERENCES more.far,
        n text REFERENCES note (said), own int REFERENCES shop);
      CREATE INDEX by_money ON shop (m); CREATE INDEX sqlite_i ON shop (x); CREATE INDEX "By_X" ON shop (x);
      CREATE INDEX by_x ON shop (f); CREATE TABLE heir() INHERITS (shop)
      """)
    let made = try folder.seedbank("init", database.url(), "--dataset", "shops").expect(0)
    for words in [
      "Skipped table \"sqlite_x\": SQLite reserves such names",
      "Skipped index \"by_money\": one of its columns is skipped",
      "\"sqlite_i\": SQLite reserves such names", "Skipped index \"by_x\": another part has the same name",
      "Check the rows of table \"shop\": they include the rows of inheriting tables (\"heir\")",
    ] { #expect(made.output.contains(words), "\(words) in \(made.output)") }
    let schema = try folder.text("seedbank/shops/models/1.0/schema.sql")
    #expect(schema.contains(#"INDEX "By_X""#), "\(schema)")
    #expect(try folder.seedbank("regenerate").status == 0)
  }

  @Test func `a unique index over NOT NULL columns is the key of a table without a primary key`() throws {
    let database = try database(
      """
      CREATE TABLE stop(name text, area text NOT NULL, code int NOT NULL); CREATE UNIQUE INDEX ON stop (area, code);
      INSERT INTO stop VALUES ('A', 'north', 1), ('B', 'south', 1); CREATE TABLE word(said text UNIQUE);
      CREATE TABLE zone(id text, name text, PRIMARY KEY (id) INCLUDE (name));
      SET allow_system_table_mods = on; INSERT INTO pg_depend SELECT 'pg_proc'::regclass, 'zone'::regclass, 0,
        'pg_extension'::regclass, oid, 0, 'e' FROM pg_extension
      """)
    try folder.seedbank("init", database.url(), "--dataset", "stops").expect(
      0, output: "Skipped table \"word\": it has no key")
    let schema = try folder.text("seedbank/stops/models/1.0/schema.sql")
    #expect(schema.contains("PRIMARY KEY (\"area\", \"code\")\n) WITHOUT ROWID;"), "\(schema)")
    // An extension's function has the number of this table.
    #expect(
      schema.contains("PRIMARY KEY (\"id\")\n);"), "included columns are not a part of the key: \(schema)")
    #expect(try folder.seedbank("regenerate").output.contains("stops/1: version 1 created, 2 rows"))
    try database.run("UPDATE stop SET name = 'C' WHERE area = 'south'; DELETE FROM stop WHERE area = 'north'")
    #expect(try folder.seedbank("regenerate").output.contains("stops/1: version 2"))
    #expect(try folder.seedbank("verify").status == 0)
  }

  @Test(arguments: [("small", false), ("small,big", true)])
  func `the size of a database is that of the chosen tables with their partitions`(
    _ tables: String, _ isLarge: Bool
  ) throws {
    let database = try database(
      """
      CREATE TABLE small(id int PRIMARY KEY); CREATE TABLE big(id int PRIMARY KEY, text text) PARTITION BY RANGE (id);
      CREATE TABLE part PARTITION OF big DEFAULT;
      INSERT INTO big SELECT i, repeat('x', 1000) FROM generate_series(1, 20000) i
      """)
    let told = try folder.succeed("init", database.url(), "--tables", tables, "--dry-run")
    #expect(told.contains("The origin has more than 20 MB") == isLarge, "\(told)")
  }

  @Test func `the GRANT that init prints gives the missing privilege`() throws {
    let database = try database("CREATE TABLE a(id int PRIMARY KEY); CREATE TABLE b(id int PRIMARY KEY)")
    let user = "Init \(database.name)"
    try database.run("CREATE ROLE \"\(user)\" LOGIN; GRANT SELECT ON b TO \"\(user)\"")
    let url = database.url(user: user.replacing(" ", with: "%20"))
    let made = try folder.seedbank("init", url, "--dataset", "first", "--dry-run").expect(0)
    let grant = try #require(made.output.firstMatch(of: /(GRANT USAGE .*;)/)).1
    try database.run(String(grant))
    let all = try folder.seedbank("init", url, "--dataset", "first", "--dry-run")
    #expect(all.output.contains("2 tables"), "\(all.output)")
  }

  @Test func `config check finds a privilege for some columns only, as a step does`() throws {
    let database = try database("CREATE TABLE a(id int PRIMARY KEY, name text)")
    #expect(try folder.seedbank("init", database.url(), "--dataset", "a").status == 0)
    let user = "columns_\(database.name)"
    try database.run("CREATE ROLE \(user) LOGIN; GRANT SELECT (id) ON a TO \(user)")
    let environment = ["SEEDBANK_DATASETS_A_ORIGIN_POSTGRES": database.url(user: user)]
    for command in [["config", "check"], ["regenerate"]] {
      let outcome = try SeedbankBinary.run(command, environment: environment, in: folder.path)
      #expect(
        outcome.status == 78 && (outcome.output + outcome.errors).contains("permission denied for table a"),
        "\(command): \(outcome)")
    }
    try database.run("GRANT SELECT (name) ON a TO \(user)")
    #expect(try folder.seedbank("regenerate", environment: environment).status == 0)
  }

  @Test func `tables with row-level security are skipped until the user may see all rows`() throws {
    let database = try database(
      """
      CREATE TABLE a(id int PRIMARY KEY); CREATE TABLE b(id int PRIMARY KEY); INSERT INTO a VALUES (1), (2);
      ALTER TABLE a ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON a USING (id = 1)
      """)
    let user = "rows_\(database.name)"
    try database.run("CREATE ROLE \(user) LOGIN; GRANT SELECT ON a, b TO \(user)")
    try folder.seedbank("init", database.url(user: user), "--dataset", "a", "--dry-run").expect(
      0, output: "Skipped table \"a\": row-level security hides some rows")
    try folder.seedbank("init", database.url(), "--dataset", "a").expect(
      0, output: "Check the rows of table \"a\": clients also get the rows")
    let url = ["SEEDBANK_DATASETS_A_ORIGIN_POSTGRES": database.url(user: user)]
    for command in [["config", "check"], ["regenerate"]] {
      let outcome = try SeedbankBinary.run(command, environment: url, in: folder.path)
      for words in [
        "row-level security policy for table", "ALTER ROLE", user, "BYPASSRLS", "origin.rowSecurity",
      ] {
        #expect(
          outcome.status == 78 && (outcome.output + outcome.errors).contains(words), "\(command): \(outcome)")
      }
    }
    let applied = url.merging(["SEEDBANK_DATASETS_A_ORIGIN_ROW_SECURITY": "apply"]) { $1 }
    let step = try folder.seedbank("regenerate", environment: applied)
    #expect(step.output.contains("version 1 created, 1 row"), "\(step.output)\(step.errors)")
  }
}
