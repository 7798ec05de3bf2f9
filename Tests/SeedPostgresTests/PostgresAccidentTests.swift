import Foundation
import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem
import Support
import Testing

@testable import SeedPostgres

/// Accidents of a server, its operator or its data. Nothing is published, and the message has place and remedy.
@Suite struct PostgresAccidentTests {
  private static let table = "CREATE TABLE t(id int PRIMARY KEY, name text)"
  private static let rows = "\(table); INSERT INTO t SELECT i, 'name ' || i FROM generate_series(1, 3) i;"
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"

  private func scene(_ sql: String = rows, _ schema: String = schema, select: String? = nil) throws
    -> PostgresScene
  {
    try PostgresScene(sql, schema, projections: select.map { ["t": $0] } ?? [:])
  }

  private static func user(_ name: String) -> String {
    """
    DO $$ BEGIN CREATE ROLE \(name) LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
    ALTER ROLE \(name) PASSWORD 'right';
    """
  }

  private func check(
    _ scene: PostgresScene, _ words: [String], isUnavailable: Bool = false, isConfiguration: Bool = false,
    _ place: SourceLocation = #_sourceLocation
  ) {
    let error = scene.refusal()
    for word in words { #expect(error.description.contains(word), "\(error)", sourceLocation: place) }
    #expect(error.isUnavailable == isUnavailable, "\(error)", sourceLocation: place)
    #expect(error.isConfiguration == isConfiguration, "\(error)", sourceLocation: place)
    #expect(scene.hasPublishedNothing, sourceLocation: place)
  }

  // MARK: Connecting

  private static let database = Result {
    let server = try PostgresCluster.shared.get()
    return try server.database(["guarded", "banned", "reader"].reduce(rows) { $0 + user($1) })
  }

  /// A place on the shared database's server, in whose URL DB and HOST are replaced.
  private func place(_ url: String, schema: String = "public") throws -> PostgresPlace {
    let (server, name) = (try PostgresCluster.shared.get(), try Self.database.get().name)
    return PostgresPlace(
      url: url.replacing("DB", with: name).replacing("HOST", with: server.folder),
      shownURL: "postgres://host/x",
      schema: schema)
  }

  @Test(
    arguments: [
      (
        "postgres://guarded:SECRET@/DB?host=HOST", "public",
        ["password authentication failed", "PGPASSWORD"], true
      ),
      ("postgres://guarded@/DB?host=HOST", "public", ["no password supplied", "PGPASSWORD"], true),
      ("postgres://banned:SECRET@/DB?host=HOST", "public", ["pg_hba.conf"], true),
      (
        "postgres://postgres@/nothing?host=HOST", "public",
        ["\"nothing\" does not exist", "the origin's URL"], true
      ),
      (
        "postgres://postgres@/DB?host=HOST", "nowhere",
        ["the origin postgres://host/x has no schema \"nowhere\"", "origin.schema"], true
      ),
      (
        "postgres://postgres@/DB?host=HOST&options=-c%20work_mem%3Dabc", "public",
        ["invalid value for parameter \"work_mem\""], true
      ),
      (
        "postgres://127.0.0.1:1/x", "public", ["cannot be reached", "check that the server is running"], false
      ),
      (
        "postgres:///x?host=/nowhere", "public", ["cannot be reached", "check that the server is running"],
        false
      ),
      // Because of the empty part, the resolver asks no server.
      (
        "postgres://nobody..invalid/x", "public", ["cannot be reached", "check that the server is running"],
        false
      ),
      (
        "postgres://a:SECRET@[::1/x", "public", ["cannot be reached", "correct the origin's URL"],
        true
      ),
      (
        "postgres://postgres@/DB?host=HOST&sslmode=verifyfull", "public",
        ["invalid sslmode value", "correct the origin's URL"], true
      ),
      (
        "postgres://postgres@/DB?host=HOST&ssl_mode=require", "public",
        ["invalid URI query parameter", "correct the origin's URL"], true
      ),
      (
        "postgres://postgres@/DB?host=HOST&target_session_attrs=standby", "public",
        ["server is not in hot standby mode", "target_session_attrs"], false
      ),
    ] as [(String, String, [String], Bool)])
  func `a session that cannot begin is reported with reason and remedy, and without the password`(
    _ url: String, _ schema: String, _ words: [String], _ isConfiguration: Bool
  ) throws {
    var scene = try PostgresScene(Self.database.get(), Self.schema)
    scene.place = try place(url, schema: schema)
    check(
      scene, words + ["postgres://host/x"], isUnavailable: !isConfiguration, isConfiguration: isConfiguration)
    #expect(!scene.refusal().description.contains("SECRET"))
  }

  @Test func `a missing privilege is printed as its GRANT statement`() throws {
    let scene = try PostgresScene(Self.database.get(), Self.schema, user: "reader")
    check(
      scene,
      [
        "permission denied for table t", "GRANT USAGE ON SCHEMA \"public\" TO \"reader\";",
        "GRANT SELECT ON \"public\".\"t\" TO \"reader\";",
      ], isConfiguration: true)
    let grants = PostgresError.grants(to: "reader", "public")
    try scene.database.run(grants)
    #expect(try scene.step().outcome == .created)
  }

  @Test
  func `a server that accepts connections and sends nothing does not block a step that should not wait`()
    throws
  {
    let server = try RawServer { _, _ in true }
    let url = "postgres://127.0.0.1:\(server.port)/x"
    let error = #expect(throws: PostgresError.self) {
      try PostgresPlace(url: url, shownURL: url, schema: "public").open(waitSeconds: 0)
    }
    #expect(error?.isUnavailable == true)
    #expect(
      error?.description.contains("no answer in 2 seconds") == true, "\(error.map(\.description) ?? "")")
    server.stop()
  }

  @Test(arguments: [
    ("postgres://a,b/x", true), ("postgres://a:1,b:2/x", true), ("postgres:///x?host=a,b", true),
    ("postgres:///x?hostaddr=::1,127.0.0.1", true), ("postgres://u:p,w@a/x", false),
    ("postgres://u,v@a/x,y", false), ("postgres://a/x?application_name=b,c", false), ("postgres:///x", false),
  ])
  func `only commas between hosts count as several hosts`(_ url: String, _ hasSeveral: Bool) {
    #expect(PostgresPlace(url: url, shownURL: url, schema: "public").hasSeveralHosts == hasSeveral)
  }

  @Test(.full) func `a host that is silent does not keep a step from the next host`() throws {
    let server = try RawServer { _, _ in true }
    let (silent, next) = ("127.0.0.1:\(server.port)", "\(try PostgresCluster.shared.get().folder)")
    let place = try place("postgres://postgres@\(silent),\(next.replacing("/", with: "%2F")):5432/DB")
    _ = try place.open(waitSeconds: 0)
    server.stop()
  }

  @Test func `a database with encoding SQL_ASCII is rejected`() throws {
    let options = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    let scene = try PostgresScene(Self.rows, Self.schema, options: options)
    check(scene, ["SQL_ASCII", "pg_dump"], isConfiguration: true)
  }

  // MARK: Reading

  @Test func `a session that ends within a table publishes nothing and the next step recovers`() throws {
    let select =
      "SELECT id, CASE WHEN id = 3 THEN pg_terminate_backend(pg_backend_pid())::text END AS name FROM t"
    let scene = try scene(select: select)
    check(scene, ["t.sql", "nothing was published, the next step tries again"], isUnavailable: true)
  }

  @Test
  func
    `a server that crashes during COPY publishes nothing, and after its restart the next step recovers`()
    throws
  {
    let cluster = try PostgresCluster()
    let scene = try PostgresScene(
      """
      CREATE TABLE t AS SELECT i AS id, repeat('x', 8000) AS name FROM generate_series(1, 300) i; ALTER TABLE t ADD PRIMARY KEY (id);
      CREATE TABLE slow AS SELECT 1 AS n
      """, Self.schema,
      projections: [
        "t":
          "SELECT id, CASE WHEN id = 290 AND EXISTS (SELECT FROM slow) THEN pg_sleep(600)::text ELSE name END AS name FROM t"
      ], cluster: cluster)
    let database = scene.database
    let crash = Thread {
      try? waitUntil("the server is in the middle of COPY", every: 0.01) {
        try database.run(
          "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'COPY%'")
          == "1\n"
      }
      try? cluster.restart()
    }
    crash.start()
    check(scene, ["nothing was published, the next step tries again"], isUnavailable: true)
    try eventually("the server is back") { crash.isFinished ? true : nil }
    try database.run("DELETE FROM slow")
    #expect(try scene.step().outcome == .created)
    #expect(try scene.published().count == 300)
  }

  private static let parts = """
    CREATE TABLE t(id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
    CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (0) TO (100); CREATE TABLE t_2 PARTITION OF t DEFAULT;
    INSERT INTO t VALUES (1, 'a'), (200, 'b');
    """

  private static let moods = """
    CREATE TYPE mood AS ENUM ('glad', 'calm'); CREATE TABLE t(id int PRIMARY KEY, name mood); INSERT INTO t VALUES (1, 'glad')
    """

  @Test(arguments: [
    (rows, "BEGIN; TRUNCATE t; INSERT INTO t VALUES (7, 'new'); COMMIT", "\"t\" was emptied by TRUNCATE"),
    (rows, "ALTER TABLE t ALTER name TYPE varchar(99) USING name || '!'", "\"t\" was emptied by TRUNCATE"),
    (parts, "TRUNCATE t_2", "\"t_2\" was emptied by TRUNCATE"),
    (parts, "ALTER TABLE t DETACH PARTITION t_1", "\"t\" was emptied by TRUNCATE"),
    (
      "\(parts) CREATE TABLE t_3(id int PRIMARY KEY, name text); INSERT INTO t_3 VALUES (300, 'c')",
      "ALTER TABLE t ATTACH PARTITION t_3 FOR VALUES FROM (300) TO (400)", "\"t_3\" was emptied by TRUNCATE"
    ),
    (
      rows,
      "BEGIN; DROP TABLE t; CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t VALUES (7, 'new'); COMMIT",
      "\"t\" was emptied by TRUNCATE"
    ),
    (moods, "ALTER TYPE mood RENAME VALUE 'glad' TO 'happy'", "an enum's label was renamed"),
  ])
  func `a table that is emptied, rewritten or otherwise altered after the step's start is read again`(
    _ tables: String, _ sql: String, _ message: String
  ) throws {
    let scene = try scene(tables)
    let plan = scene.deployment.job.plans[0]
    let table = try #require(plan.schema.table("t"))
    let origin = try PostgresOrigin(scene.place)
    try scene.database.run(sql)
    let rows = try origin.rows(table, plan.projection(table), isOrdered: true)
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    #expect(
      error?.isMomentary == true && error?.description.contains(message) == true,
      "\(String(describing: error))")
    #expect(try scene.step().outcome == .created)
  }

  @Test func `a partition that is created after the step's start does not interrupt the step`() throws {
    let scene = try scene(Self.parts)
    let plan = scene.deployment.job.plans[0]
    let table = try #require(plan.schema.table("t"))
    let origin = try PostgresOrigin(scene.place)
    try scene.database.run(
      "CREATE TABLE t_3 PARTITION OF t FOR VALUES FROM (300) TO (400); INSERT INTO t VALUES (300, 'c')")
    let rows = try origin.rows(table, plan.projection(table), isOrdered: true)
    var count = 0
    while try rows.next() { count += 1 }
    #expect(count == 2)
  }

  @Test func `an interrupted DETACH PARTITION CONCURRENTLY does not stop the steps`() throws {
    let scene = try scene(Self.parts)
    try scene.database.run(
      "UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 't_1'::regclass")
    #expect(try scene.step().outcome == .created)
    #expect(try scene.published().count == 1)
  }

  @Test func `a statement timeout is reported with its setting`() throws {
    var scene = try scene(select: "SELECT id, pg_sleep(5)::text AS name FROM t")
    scene.place.statementTimeoutSeconds = 1
    check(scene, ["statement timeout", "origin.statementTimeoutSeconds"], isUnavailable: true)
  }

  // MARK: Rows

  private static let badRows = [
    ("id int, name float8", "(1, 1), (7, 'NaN')", "INTEGER", "REAL", "holds NaN", "id=7"),
    ("id int, name numeric", "(1, 1), (8, 'NaN')", "INTEGER", "REAL", "holds NaN", "id=8"),
    (
      "id int, name numeric", "(1, 1.00), (9, 1.5)", "INTEGER", "INTEGER",
      "holds a number that does not fit INTEGER", "id=9"
    ),
    (
      "id int, name numeric", "(1, 1), (2, 99999999999999999999)", "INTEGER", "INTEGER",
      "holds a number that does not fit INTEGER", "id=2"
    ),
    (
      "id int, name timestamptz", "(1, now()), (5, 'infinity')", "INTEGER", "INTEGER", "holds infinity",
      "id=5"
    ),
    ("id int, name text", "(1, 'a'), (NULL, 'b')", "INTEGER", "TEXT", "NULL in the key", "1 row"),
    ("id int, name text", "(1, 'a'), (4, 'b'), (4, 'c')", "INTEGER", "TEXT", "UNIQUE", "id=4"),
    (
      "id text, name text", "('1', 'a'), ('x', 'b')", "INTEGER", "TEXT",
      "a string that is not a number in canonical form", "x"
    ),
    (
      "id int, name text", "(1, '7'), (6, '007')", "INTEGER", "INTEGER",
      "a string that is not a number in canonical form", "id=6"
    ),
    (
      "id int, name text", "(1, '1.5'), (6, '1.50')", "INTEGER", "REAL",
      "a string that is not a number in canonical form", "id=6"
    ),
    (
      "id int, name varchar", "(1, 'ab'), (6, ' 1e3')", "INTEGER", "NUMERIC", "a string that is not a number",
      "id=6"
    ),
    (
      "id int, name date", "(1, NULL), (6, '2026-01-02')", "INTEGER", "INTEGER",
      "a string that is not a number", "id=6"
    ),
    (
      "id int, name jsonb", "(1, '5'), (6, '[5]')", "INTEGER", "INTEGER", "a string that is not a number",
      "id=6"
    ),
    (
      "id int, name uuid", "(1, NULL), (6, '00000000-0000-0000-0000-000000000001')", "INTEGER", "REAL",
      "a string that is not a number", "id=6"
    ),
  ]

  /// A schema for each.
  private static let schemas = Result {
    let tables = badRows.enumerated().map { number, row in
      "CREATE SCHEMA s\(number); CREATE TABLE s\(number).t(\(row.0)); INSERT INTO s\(number).t VALUES \(row.1);"
    }
    return try PostgresCluster.shared.get().database(tables.joined())
  }

  @Test(arguments: badRows.indices)
  func `rows that clients cannot hold are counted and reported`(_ number: Int) throws {
    let (_, _, key, type, words, row) = Self.badRows[number]
    let scene = try PostgresScene(
      Self.schemas.get(), "CREATE TABLE t(id \(key) PRIMARY KEY, name \(type))", schemaName: "s\(number)")
    check(scene, [words, row.replacing("=", with: " ")].map { $0.replacing("id ", with: "") })
  }

  @Test func `a changed column type publishes no value of a wrong type`() throws {
    let scene = try scene(
      "CREATE TABLE t(id int PRIMARY KEY, n int, x float8); INSERT INTO t VALUES (1, 1, 1.5), (2, 2, 2.5)",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, x REAL)")
    try scene.step()
    let before = try scene.published()
    try scene.database.run("ALTER TABLE t ALTER x TYPE text")
    #expect(try scene.step().outcome == .unchanged, "each text is written as its number is")
    func check(_ sql: String, _ words: String) throws {
      try scene.database.run(sql)
      let error = scene.refusal().description
      #expect(error.contains("table \"t\": the column \(words)") && error.contains("2 rows"), "\(error)")
      #expect(try scene.published() == before)
    }
    try check("UPDATE t SET x = 'about ' || x", "\"x\" holds a string that is not a number in canonical form")
    try check(
      "ALTER TABLE t ALTER x TYPE float8 USING substr(x, 7)::float8; ALTER TABLE t ALTER n TYPE float8 USING n + 0.25",
      "\"n\" holds a number that is not whole, but clients read it as INTEGER")
    try scene.database.run("ALTER TABLE t ALTER n TYPE int USING floor(n)")
    #expect(try scene.step().outcome == .unchanged)
  }

  @Test func `a SELECT with a parameter is a mistake in the model`() throws {
    let scene = try scene(select: "SELECT id, $1::text AS name FROM t")
    check(scene, ["t.sql: there is no parameter $1"], isConfiguration: true)
  }

  @Test func `a missing table or column is reported`() throws {
    let scene = try scene("CREATE TABLE other(id int)")
    check(
      scene, ["relation \"public.t\" does not exist", "create the table, correct origin.schema"],
      isConfiguration: true)
    try scene.database.run("CREATE TABLE t(id int)")
    check(scene, ["lacks the column \"name\""])
  }
}
