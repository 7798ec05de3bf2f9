import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

@Suite struct PostgresOriginTests {
  private static let stops = """
    CREATE TABLE t(id int PRIMARY KEY, name text, x float8);
    INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', NULL), (3, 'ü', -0.25);
    """
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, x REAL)"
  private static let view = "CREATE VIEW v AS SELECT id, clock_timestamp()::text AS name, x FROM t"
  private static let functions = """
    ; CREATE FUNCTION "Late"() RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE FUNCTION "a ""late\\$"() RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE FUNCTION late$1() RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE FUNCTION Älter() RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE FUNCTION late(t) RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE FUNCTION "Slow"(anyelement) RETURNS text LANGUAGE sql STABLE AS 'SELECT now()::text';
    CREATE EXTENSION postgres_fdw; CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw; CREATE FOREIGN TABLE away(id int) SERVER s
    """
  private static let database = Result {
    try PostgresCluster.shared.get().database(stops + view + functions)
  }

  /// Reads the rows by a SELECT, and never changes them.
  private func scene(_ sql: String) throws -> PostgresScene {
    try PostgresScene(Self.database.get(), Self.schema, projections: ["t": sql])
  }

  @Test func `rows are published and changes become a delta`() throws {
    let scene = try PostgresScene(Self.stops, Self.schema)
    #expect(try scene.step().outcome == .created)
    #expect(
      try scene.published() == [
        [.integer(1), .text("a"), .real(1.5)], [.integer(2), .text("b"), .null],
        [.integer(3), .text("ü"), .real(-0.25)],
      ])
    try scene.database.run(
      "UPDATE t SET name = 'z' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (9, NULL, 7)")
    let report = try scene.step()
    #expect(report.outcome == .changed && report.version?.number == 2)
    #expect(
      try scene.published() == [
        [.integer(1), .text("z"), .real(1.5)], [.integer(3), .text("ü"), .real(-0.25)],
        [.integer(9), .null, .real(7)],
      ])
    #expect(try scene.step().outcome == .unchanged)
  }

  @Test func `a check of an unchanged database reads no table`() throws {
    // Its own cluster, because other tests write to the shared one.
    let scene = try PostgresScene(Self.stops, Self.schema, cluster: PostgresCluster())
    let stamp = try scene.place.look().stamp
    #expect(try scene.step().outcome == .created)
    #expect(try #require(stamp.renewed()).text == stamp.text, "reading does not count as writing")
    try scene.database.run("UPDATE t SET name = 'q' WHERE id = 3")
    #expect(stamp.renewed() == nil)
    let later = try scene.place.look().stamp
    try scene.database.run("BEGIN; UPDATE t SET name = 'r' WHERE id = 3; ROLLBACK")
    #expect(later.renewed() == nil, "in doubt it is read")
  }

  @Test func `all tables are read in one snapshot, despite concurrent writes and an abandoned COPY`() throws {
    let sql = """
      CREATE TABLE t AS SELECT i AS id, repeat('x', 8000) AS name, 1::float8 AS x FROM generate_series(1, 500) i;
      CREATE TABLE u(id int PRIMARY KEY)
      """
    let scene = try PostgresScene(sql, "\(Self.schema); CREATE TABLE u(id INTEGER PRIMARY KEY)")
    let origin = try PostgresOrigin(scene.place)
    let plan = scene.deployment.job.plans[0]
    let table = try #require(plan.schema.table("t"))
    let first = try origin.rows(table, plan.projection(table))
    #expect(try first.next())
    try scene.database.run("DELETE FROM t; INSERT INTO u VALUES (1)")
    let second = try origin.rows(table, plan.projection(table))
    var count = 0
    while try second.next() { count += 1 }
    #expect(count == 500)
    let other = try #require(plan.schema.table("u"))
    #expect(try origin.rows(other, plan.projection(other)).next() == false)
  }

  // MARK: Projections

  @Test func `columns that differ in the case of a letter beyond ASCII are two, as in SQLite`() throws {
    let sql = #"CREATE TABLE t(id int PRIMARY KEY, "Ä" text, "ä" text); INSERT INTO t VALUES (1, 'L', 's')"#
    let schema = #"CREATE TABLE t(id INTEGER PRIMARY KEY, "ä" TEXT, "Ä" TEXT)"#
    let scene = try PostgresScene(sql, schema)
    #expect(try OriginSurvey(scene.place).skipped.isEmpty)
    #expect(try scene.step().outcome == .created)
    #expect(try scene.published() == [[.integer(1), .text("s"), .text("L")]])
    let half = try PostgresScene(scene.database, schema, projections: ["t": #"SELECT id, "Ä" FROM t"#])
    #expect(half.refusal().description.contains("lacks the column \"ä\""))
  }

  @Test(arguments: [
    "SELECT id, name || ';' AS name, NULL::float8 AS x FROM t", "SELECT * FROM t;",
    "-- all; of them\nSELECT * FROM t /* ; */ ; -- and; more\n",
    "SELECT id, $$;$$ AS name, x FROM t WHERE name <> E'\\';' ;\n",
  ])
  func `a SELECT runs on the server and may end in a semicolon or a comment`(_ sql: String) throws {
    let scene = try scene(sql)
    #expect(try scene.step().rows["t"] == 3)
  }

  @Test(arguments: [
    ("SELECT id,\nname,, x FROM t", "models/1.0/t.sql:2: syntax error", true),
    ("SELECT id, name,\n\n wrong FROM t", "models/1.0/t.sql:3: column \"wrong\" does not exist", true),
    ("SELECT * FROM t; DELETE FROM t", "cannot insert multiple commands", true),
    ("SELECT * FROM nothing", "models/1.0/t.sql:1: relation \"nothing\" does not exist", true),
    ("SELECT id, name FROM t", "lacks the column \"x\"", true),
    ("SELECT *, 1 AS more FROM t", "has the surplus column \"more\"", true),
    ("SELECT id, name, 1 / (id - 1)::float8 AS x FROM t", "division by zero", false),
    ("DELETE FROM t RETURNING *", "models/1.0/t.sql", true),
    ("SELECT id, name, 1::money AS x FROM t", "the column \"x\" has the type money", true),
    ("SELECT id, ARRAY[1::money] AS name, x FROM t", "lc_monetary", true),
    ("SELECT id, point(1, 2) AS name, x FROM t", "the type point", true),
  ])
  func `an invalid SELECT is reported with file, line and reason`(
    _ sql: String, _ words: String, _ isConfiguration: Bool
  ) throws {
    let scene = try scene(sql)
    let error = scene.refusal()
    #expect(error.description.contains(words) && error.description.contains("t.sql"), "\(error)")
    #expect(error.isConfiguration == isConfiguration && !error.isUnavailable, "\(error)")
    #expect(scene.hasPublishedNothing)
    #expect(try scene.database.run("SELECT count(*) FROM t") == "3\n")
  }

  @Test(arguments: [
    (nil, false), ("SELECT id, name, x FROM t", false),
    ("SELECT id, to_char(now(), 'YYYY') AS name, x FROM t", true),
    ("SELECT id, name, random() AS x FROM t", true),
    ("SELECT id, CURRENT_DATE::text AS name, x FROM t", true),
    ("SELECT id, to_char(timestamp '2026-11-22', 'DD') AS name, x FROM t", false),
    ("SELECT id, concat(name, format('%s', id)) AS name, x FROM t", false),
    ("SELECT id, array_to_string(ARRAY[name], ',') AS name, x FROM t", false),
    ("SELECT id, jsonb_build_object('n', name)::text AS name, x FROM t", false),
    ("SELECT id, age(timestamp '2026-11-22')::text AS name, x FROM t", true),
    ("SELECT id, current_setting('lc_time') AS name, x FROM t", true),
    ("SELECT id, upper(name) AS name, x FROM t", false), ("SELECT id, name, x FROM v", true),
    ("SELECT id, name, EXTRACT(epoch FROM timestamptz 'now') AS x FROM t", true),
    ("SELECT id, \"Late\"() AS name, x FROM t", true), ("SELECT id, LATE$1() AS name, x FROM t", true),
    ("SELECT id, \"a \"\"late\\$\" () AS name, x FROM t", true),
    ("SELECT id, ÄLTER() AS name, x FROM t", true),
    ("SELECT id, t.Late AS name, x FROM t", true),
    ("SELECT id, (t). \"Slow\" AS name, x FROM t", true),
    ("SELECT s.id, s.name, s.system AS x FROM (SELECT id, name, x AS system FROM t) s", false),
  ])
  func `queries that may return other rows without a write are detected`(_ sql: String?, _ isVolatile: Bool)
    throws
  {
    let version = model("1.0", Self.schema, projections: sql.map { ["t": $0] } ?? [:])
    let origin = try PostgresOrigin(Self.database.get().place())
    #expect(try origin.isVolatile(SeriesPlan.plans("test", [version])) == isVolatile)
  }

}
