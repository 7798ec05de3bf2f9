import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import Support
import Testing

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

  private func user(_ name: String, _ password: String) -> String {
    """
    DO $$ BEGIN CREATE ROLE \(name) LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
    ALTER ROLE \(name) PASSWORD '\(password)';
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

  @Test func `a wrong password is reported without printing it`() throws {
    let secret = "s3cret\(UInt32.random(in: 0...UInt32.max))"
    let scene = try PostgresScene(
      Self.rows + user("guarded", "right"), Self.schema, user: "guarded", password: secret)
    check(
      scene, ["password authentication failed", "PGPASSWORD", "postgres://host/"], isConfiguration: true)
    #expect(!scene.refusal().description.contains(secret))
  }

  @Test func `a missing password is requested`() throws {
    let scene = try PostgresScene(Self.rows + user("guarded", "right"), Self.schema, user: "guarded")
    check(scene, ["no password supplied", "PGPASSWORD"], isConfiguration: true)
  }

  @Test func `a user rejected by pg_hba.conf gets that reason`() throws {
    let scene = try PostgresScene(Self.rows + user("banned", "x"), Self.schema, user: "banned")
    check(scene, ["pg_hba.conf"], isConfiguration: true)
  }

  @Test func `a missing privilege is printed as its GRANT statement`() throws {
    let scene = try PostgresScene(Self.rows + user("reader", "x"), Self.schema, user: "reader")
    check(
      scene,
      [
        "permission denied for table t", "GRANT USAGE ON SCHEMA \"public\" TO \"reader\";",
        "GRANT SELECT ON ALL TABLES IN SCHEMA \"public\" TO \"reader\";",
      ], isConfiguration: true)
    let grants = PostgresError.grants(to: "reader", "public")
    try scene.database.run(grants)
    #expect(try scene.step().outcome == .created)
  }

  @Test func `a missing database or schema is a configuration error`() throws {
    var scene = try scene()
    scene.place = PostgresPlace(url: scene.database.url(), shownURL: "postgres://h/x", schema: "nowhere")
    check(
      scene, ["the origin postgres://h/x has no schema \"nowhere\"", "origin.schema"], isConfiguration: true)
    let missing = scene.database.url().replacing("/\(scene.database.name)?", with: "/nothing?")
    scene.place = PostgresPlace(url: missing, shownURL: "postgres://h/nothing", schema: "public")
    check(scene, ["\"nothing\" does not exist", "origin.postgres"], isConfiguration: true)
  }

  @Test func `a setting of the connection that the server rejects is a configuration error`() throws {
    var scene = try scene()
    let url = scene.database.url() + "&options=-c%20work_mem%3Dabc"
    scene.place = PostgresPlace(url: url, shownURL: url, schema: "public")
    check(scene, ["invalid value for parameter \"work_mem\""], isConfiguration: true)
  }

  @Test(arguments: [
    "postgres://127.0.0.1:1/x", "postgres:///x?host=/nowhere", "postgres://nobody.invalid/x",
  ])
  func `a server without an answer is temporarily unavailable`(_ url: String) throws {
    var scene = try scene()
    scene.place = PostgresPlace(url: url, shownURL: url, schema: "public")
    check(scene, ["the origin \(url) cannot be reached", "check that the server runs"], isUnavailable: true)
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

  @Test func `an invalid URL is reported without its password`() throws {
    var scene = try scene()
    scene.place = PostgresPlace(
      url: "postgres://a:pw123@[::1/x", shownURL: "postgres://[::1/x", schema: "public")
    #expect(!scene.refusal().description.contains("pw123"), "\(scene.refusal())")
  }

  @Test func `a database with encoding SQL_ASCII is rejected`() throws {
    let options = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    let scene = try PostgresScene(Self.rows, Self.schema, options: options)
    check(scene, ["SQL_ASCII", "pg_dump"], isConfiguration: true)
  }

  @Test func `a database in Latin 1 is read as UTF-8`() throws {
    let options = "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    let scene = try PostgresScene(
      "\(Self.table); INSERT INTO t VALUES (1, 'Gr' || chr(252) || 'n')", Self.schema, options: options)
    try scene.step()
    #expect(try scene.published() == [[.integer(1), .text("Grün")]])
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
      CREATE TABLE t AS SELECT i AS id, repeat('x', 500) AS name FROM generate_series(1, 20000) i; ALTER TABLE t ADD PRIMARY KEY (id);
      CREATE TABLE slow AS SELECT 1 AS n
      """, Self.schema,
      projections: [
        "t":
          "SELECT id, CASE WHEN id = 19000 AND EXISTS (SELECT FROM slow) THEN pg_sleep(600)::text ELSE name END AS name FROM t"
      ], cluster: cluster)
    let database = scene.database
    let crash = Thread {
      try? waitUntil("the server is in the middle of COPY", every: 0.05) {
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
    #expect(try scene.published().count == 20_000)
  }

  @Test(arguments: [
    "BEGIN; TRUNCATE t; INSERT INTO t VALUES (7, 'new'); COMMIT",
    "ALTER TABLE t ALTER name TYPE varchar(99) USING name || '!'",
  ])
  func `a table emptied or rewritten after the step's start is not read as empty`(
    _ sql: String
  )
    throws
  {
    let scene = try scene()
    let plan = scene.deployment.job.plans[0]
    let table = try #require(plan.schema.table("t"))
    let origin = try PostgresOrigin(scene.place)
    try scene.database.run(sql)
    let rows = try origin.rows(table, plan.projection(table), isOrdered: true)
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    #expect(
      error?.isMomentary == true && error?.description.contains("TRUNCATE") == true,
      "\(String(describing: error))")
    #expect(try scene.step().outcome == .created)
  }

  @Test func `an emptied partition is detected`() throws {
    let scene = try scene(
      """
      CREATE TABLE t(id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
      CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (0) TO (100); CREATE TABLE t_2 PARTITION OF t DEFAULT;
      INSERT INTO t VALUES (1, 'a'), (200, 'b');
      """)
    let plan = scene.deployment.job.plans[0]
    let table = try #require(plan.schema.table("t"))
    let origin = try PostgresOrigin(scene.place)
    try scene.database.run("TRUNCATE t_2")
    let rows = try origin.rows(table, plan.projection(table), isOrdered: false)
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    #expect(error?.description.contains("t_2") == true, "\(String(describing: error))")
  }

  @Test func `a statement timeout is reported with its setting`() throws {
    var scene = try scene(select: "SELECT id, pg_sleep(5)::text AS name FROM t")
    scene.place.statementTimeoutSeconds = 1
    check(scene, ["statement timeout", "origin.statementTimeoutSeconds"], isUnavailable: true)
  }

  @Test func `a step waits for a lock on a table up to the configured time`() throws {
    var scene = try scene()
    scene.place.lockTimeoutSeconds = 1
    let database = scene.database
    let lock = Thread {
      _ = try? database.run("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(30); COMMIT")
    }
    lock.start()
    try waitUntil("the table is locked", every: 0.05) {
      try database.run(
        "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 't'::regclass"
      )
        == "1\n"
    }
    check(scene, ["table \"t\"", "lock timeout", "origin.lockTimeoutSeconds"], isUnavailable: true)
    try database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()"
    )
  }

  // MARK: Rows

  @Test(arguments: [
    ("id int, name float8", "(1, 1), (7, 'NaN')", "INTEGER", "REAL", "holds NaN", "id=7"),
    ("id int, name numeric", "(1, 1), (8, 'NaN')", "INTEGER", "REAL", "holds NaN", "id=8"),
    (
      "id int, name numeric", "(1, 1.00), (9, 1.5)", "INTEGER", "INTEGER",
      "holds a number that no INTEGER can be", "id=9"
    ),
    (
      "id int, name numeric", "(1, 1), (2, 99999999999999999999)", "INTEGER", "INTEGER",
      "holds a number that no INTEGER can be", "id=2"
    ),
    (
      "id int, name timestamptz", "(1, now()), (5, 'infinity')", "INTEGER", "INTEGER", "holds infinity",
      "id=5"
    ),
    ("id int, name text", "(1, 'a'), (NULL, 'b')", "INTEGER", "TEXT", "NULL in the key", "1 row"),
    ("id int, name text", "(1, 'a'), (4, 'b'), (4, 'c')", "INTEGER", "TEXT", "UNIQUE", "id=4"),
    (
      "id text, name text", "('1', 'a'), ('x', 'b')", "INTEGER", "TEXT",
      "a text that is not written as a number", "x"
    ),
    (
      "id int, name text", "(1, '7'), (6, '007')", "INTEGER", "INTEGER",
      "a text that is not written as a number", "id=6"
    ),
    (
      "id int, name text", "(1, '1.5'), (6, '1.50')", "INTEGER", "REAL",
      "a text that is not written as a number", "id=6"
    ),
    (
      "id int, name varchar", "(1, 'ab'), (6, ' 1e3')", "INTEGER", "NUMERIC", "a text that is not written as",
      "id=6"
    ),
    (
      "id int, name date", "(1, NULL), (6, '2026-01-02')", "INTEGER", "INTEGER",
      "a text that is not written as", "id=6"
    ),
    (
      "id int, name jsonb", "(1, '5'), (6, '[5]')", "INTEGER", "INTEGER", "a text that is not written as",
      "id=6"
    ),
    (
      "id int, name uuid", "(1, NULL), (6, '00000000-0000-0000-0000-000000000001')", "INTEGER", "REAL",
      "a text that is not written as", "id=6"
    ),
  ])
  func `rows that clients cannot hold are counted and reported`(
    _ columns: String, _ values: String, _ key: String, _ type: String, _ words: String, _ row: String
  ) throws {
    let scene = try scene(
      "CREATE TABLE t(\(columns)); INSERT INTO t VALUES \(values)",
      "CREATE TABLE t(id \(key) PRIMARY KEY, name \(type))")
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
    try check("UPDATE t SET x = 'about ' || x", "\"x\" holds a text that is not written as a number is")
    try check(
      "ALTER TABLE t ALTER x TYPE float8 USING substr(x, 7)::float8; ALTER TABLE t ALTER n TYPE float8 USING n + 0.25",
      "\"n\" holds a number that is not whole, but clients read it as INTEGER")
    try scene.database.run("ALTER TABLE t ALTER n TYPE int USING floor(n)")
    #expect(try scene.step().outcome == .unchanged)
  }

  @Test func `a missing table or column is reported`() throws {
    check(
      try scene("CREATE TABLE other(id int)"), ["relation \"public.t\" does not exist"], isConfiguration: true
    )
    check(
      try scene("CREATE TABLE other(id int)"), ["make the table, correct origin.schema"],
      isConfiguration: true)
    check(try scene("CREATE TABLE t(id int)"), ["lacks the column name"])
  }

  @Test func `rows hidden by row-level security are an error`() throws {
    let guarded = """
      GRANT SELECT ON t TO guest; ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON t USING (id < 3);
      """
    var scene = try PostgresScene(Self.rows + user("guest", "x") + guarded, Self.schema, user: "guest")
    check(
      scene,
      ["row-level security policy for table \"t\"", "ALTER ROLE \"guest\" BYPASSRLS", "origin.rowSecurity"],
      isConfiguration: true)
    scene.place.appliesRowSecurity = true
    #expect(try scene.step().outcome == .created)
    #expect(try scene.published().count == 2)
  }

}
