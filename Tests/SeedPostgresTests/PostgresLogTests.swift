import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

@Suite struct PostgresLogTests {
  private static let tables = """
    CREATE TABLE zone(code text PRIMARY KEY, title text);
    CREATE TABLE stop(id int PRIMARY KEY, name varchar(20), zone text REFERENCES zone ON DELETE CASCADE ON UPDATE CASCADE);
    CREATE TABLE call(stop int REFERENCES stop ON DELETE CASCADE ON UPDATE CASCADE, turn smallint, time time, PRIMARY KEY (stop, turn));
    INSERT INTO zone VALUES ('a', 'A'), ('b', NULL);
    INSERT INTO stop SELECT i, 'stop ' || i, CASE WHEN i < 4 THEN 'a' ELSE 'b' END FROM generate_series(1, 6) i;
    INSERT INTO call SELECT i, j, time '06:00' + i * interval '1 minute' FROM generate_series(1, 6) i, generate_series(1, 3) j;
    CREATE VIEW busy AS SELECT stop AS id, count(*) AS calls FROM call GROUP BY stop;
    """
  private static let schema = """
    CREATE TABLE zone(code TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone TEXT);
    CREATE TABLE call(stop INTEGER, turn INTEGER, time TEXT, PRIMARY KEY (stop, turn)) WITHOUT ROWID;
    CREATE TABLE busy(id INTEGER PRIMARY KEY, calls INTEGER);
    CREATE TABLE named(id INTEGER PRIMARY KEY, title TEXT);
    """
  private static let named = "SELECT stop.id, zone.title FROM stop LEFT JOIN zone ON zone.code = stop.zone"

  private func scene() throws -> PostgresLogScene {
    try PostgresLogScene(Self.tables, Self.schema, projections: ["named": Self.named])
  }

  @Test func `rows written by any statement are found by their keys`() throws {
    let scene = try scene()
    let report = try scene.follow(
      "UPDATE call SET time = '12:00' WHERE stop = 2", reason: "all rows of \"busy\"")
    #expect(report.changes["call"]?.updated == 3)
    for sql in [
      "INSERT INTO call VALUES (1, 9, '09:00')", "DELETE FROM call WHERE turn = 9",
      "INSERT INTO call VALUES (1, 1, '23:00') ON CONFLICT (stop, turn) DO UPDATE SET time = excluded.time",
      "WITH gone AS (DELETE FROM call WHERE stop = 3 RETURNING *) INSERT INTO call SELECT 4, turn + 10, time FROM gone",
      "COPY call FROM STDIN;\n5\t7\t01:00\n\\.\n",
      "MERGE INTO call USING (VALUES (1, 1), (1, 8)) AS v(s, t) ON stop = s AND turn = t WHEN MATCHED THEN DELETE "
        + "WHEN NOT MATCHED THEN INSERT VALUES (s, t, '00:00')",
      "BEGIN; SAVEPOINT a; DELETE FROM call; ROLLBACK TO a; UPDATE call SET turn = turn + 100 WHERE stop = 1; COMMIT",
    ] { try scene.follow(sql, reason: "all rows of \"busy\"") }
    try scene.follow("UPDATE stop SET id = id + 100 WHERE id = 6", reason: "all rows of \"busy\", \"named\"")
    try scene.follow("UPDATE zone SET code = 'c' WHERE code = 'b'", reason: "all rows of \"named\"")
    try scene.follow("DELETE FROM zone WHERE code = 'a'", reason: "all rows of \"busy\", \"named\"")
    try scene.follow("UPDATE stop SET name = name", reason: "all rows of \"named\"")
    try scene.follow(
      "SET session_replication_role = replica; UPDATE stop SET name = 'replica'",
      reason: "all rows of \"named\"")
    #expect(try scene.follow("BEGIN; DELETE FROM call; ROLLBACK").outcome == .unchanged)
    try scene.follow("TRUNCATE call", reason: "all rows of \"busy\", \"call\"")
    try scene.follow("INSERT INTO call VALUES (4, 1, '00:00')", reason: "all rows of \"busy\"")
  }

  @Test
  func `a rewritten table is compared and an altered column makes the log doubtful`()
    throws
  {
    let scene = try scene()
    try scene.follow("VACUUM FULL zone", reason: "all rows of \"named\", \"zone\"")
    try scene.database.run("ALTER TABLE zone ALTER title TYPE varchar(30) USING title || '!'")
    try scene.compare(.otherSchema)
    try scene.database.run("ALTER TABLE zone ADD extra int")
    try scene.compare(.otherSchema)
    try scene.database.run(
      "CREATE OR REPLACE VIEW busy AS SELECT stop AS id, 2 * count(*) AS calls FROM call GROUP BY stop")
    try scene.compare(.otherSchema)
    try scene.database.run("CREATE VIEW calm AS SELECT id, id + 10 AS calls FROM stop")
    try scene.compare(.otherSchema)
    try scene.database.run("ALTER VIEW busy RENAME TO rest; ALTER VIEW calm RENAME TO busy")
    try scene.compare(.otherSchema)
    #expect(try scene.scene.published("busy").contains([.integer(6), .integer(16)]))
  }

  @Test func `no table is read if nothing was written, but a new table is reported`() throws {
    let scene = try scene()
    func scans() throws -> String {
      try scene.database.run(
        "SELECT pg_stat_force_next_flush(); SELECT sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_user_tables WHERE schemaname = 'public'"
      )
    }
    try scene.database.run("UPDATE zone SET title = 'x' WHERE code = 'a'")
    try scene.step()
    let before = try scans()
    scene.deployment.job.knownOrigin = try scene.scene.place.open(waitSeconds: 1).outline()
    for _ in 0..<2 {
      try scene.database.run("SELECT pg_current_xact_id()")
      let report = try scene.deployment.step()
      #expect(report.series[0].foundBy == FoundBy(.log) && report.gained ?? 0 == 0)
    }
    #expect(try scans() == before)
    try scene.database.run("CREATE TABLE later(id int PRIMARY KEY)")
    #expect(try scene.deployment.step().gained == 1)
  }

  @Test
  func
    `a step without news does not wait for a locked table, one with news names it, and late commits are found`()
    throws
  {
    var scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY); CREATE TABLE u(id int PRIMARY KEY)",
      "CREATE TABLE t(id INTEGER PRIMARY KEY); CREATE TABLE u(id INTEGER PRIMARY KEY)")
    try scene.step()
    scene.scene.place.lockTimeoutSeconds = 1
    let late = try LateTransaction("TRUNCATE t", scene.database)
    #expect(try scene.step().foundBy == FoundBy(.log))
    try scene.database.run("INSERT INTO u VALUES (1)")
    let error = scene.scene.refusal()
    for words in ["table \"t\"", "lock timeout", "origin.lockTimeoutSeconds"] {
      #expect(error.isUnavailable && error.description.contains(words), "\(error)")
    }
    try late.commit()
    #expect(try scene.step().changes["u"]?.inserted == 1)
    let insertion = try LateTransaction("INSERT INTO t VALUES (1)", scene.database)
    try scene.follow("INSERT INTO u VALUES (2)")
    try insertion.commit()
    let report = try scene.step()
    #expect(report.foundBy == FoundBy(.log) && report.changes["t"]?.inserted == 1, "\(report)")
    try scene.audit()
  }

  @Test func `texts are found by their keys in a database that sorts them by other bytes`() throws {
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id text PRIMARY KEY, name text); INSERT INTO t VALUES (U&'\\0104b'), (U&'\\00e1b')",
      "CREATE TABLE t(id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID",
      options: "ENCODING 'LATIN2' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    #expect(try scene.follow("UPDATE t SET name = 'x'").changes["t"]?.updated == 2)
    #expect(try scene.scene.published() == [[.text("áb"), .text("x")], [.text("Ąb"), .text("x")]])
  }

  @Test(.full) func `too many keys cause a comparison`() throws {
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY, name text)", "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    try scene.follow("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 100000) i")
    try scene.follow(
      "INSERT INTO t SELECT i, 'x' FROM generate_series(200000, 300000) i", reason: "all rows of \"t\"")
  }

  @Test func `a SELECT that depends on the time is read at each step and other tables by the log`() throws {
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t VALUES (1, 'x')",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE late(id INTEGER PRIMARY KEY, name TEXT)",
      projections: ["late": "SELECT id, name FROM t WHERE now() > timestamptz '2000-01-01'"])
    let report = try scene.follow("UPDATE t SET name = 'y'", reason: "all rows of \"late\"")
    #expect(report.changes["t"]?.updated == 1 && report.changes["late"]?.updated == 1)
    #expect(try scene.step().foundBy == FoundBy(.log, .someTables, reason: "all rows of \"late\""))
    let place = scene.scene.place
    let reasons = try PostgresOrigin(place).volatileTables(scene.deployment.job.plans[0])
    #expect(reasons == ["late": "\"now\" is in its SELECT, or in a view or policy behind it"])
  }

  @Test func `a key whose value was renamed before its transaction ended is found by a comparison`() throws {
    let scene = try PostgresLogScene(
      "CREATE TYPE mood AS ENUM ('calm', 'glad'); CREATE TABLE t(id mood PRIMARY KEY, name text)",
      "CREATE TABLE t(id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
    let late = try LateTransaction("INSERT INTO t VALUES ('glad', 'x')", scene.database)
    try scene.database.run("ALTER TYPE mood RENAME VALUE 'glad' TO 'merry'")
    try scene.compare(.otherSchema)
    try late.commit()
    try scene.follow("SELECT 1", reason: "all rows of \"t\"")
    #expect(try scene.scene.published() == [[.text("merry"), .text("x")]])
    try scene.follow("UPDATE t SET name = 'y'")
  }

  // MARK: Partitions and inheritance

  @Test func `direct writes to partitions are logged`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE TABLE t(id int, day int, name text, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
      CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1); CREATE TABLE t2 PARTITION OF t FOR VALUES IN (2);
      INSERT INTO t SELECT i, 1 + i % 2, 'x' FROM generate_series(1, 10) i
      """, "CREATE TABLE t(id INTEGER, day INTEGER, name TEXT, PRIMARY KEY (id, day)) WITHOUT ROWID")
    try scene.follow("UPDATE t1 SET name = 'direct'")
    try scene.follow("UPDATE t SET day = 3 - day WHERE id < 4")
    try scene.follow("UPDATE t2 SET id = id + 50 WHERE id > 5")
    try scene.follow(
      "CREATE TABLE t3 PARTITION OF t DEFAULT; INSERT INTO t3 VALUES (7, 7, 'new')",
      reason: "all rows of \"t\"")
    try scene.follow("DELETE FROM t3")
    try scene.follow("TRUNCATE t1", reason: "all rows of \"t\"")
    try scene.follow("ALTER TABLE t DETACH PARTITION t2", reason: "all rows of \"t\"")
    try scene.database.run("ALTER TABLE t1 DISABLE TRIGGER ALL; INSERT INTO t1 VALUES (99, 1, 'unseen')")
    let report = try scene.scene.fullStep()
    #expect(report.warnings.contains { $0.contains("no longer watches \"t\"") }, "\(report.warnings)")
    try scene.audit()
  }

  @Test func `a table is compared when it gets or loses an inheriting table`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t VALUES (1, 'x');
      CREATE TABLE old() INHERITS (t); INSERT INTO old VALUES (5, 'old')
      """, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    let cursor = scene.deployment.folder("state/test-1.cursor")
    try scene.step()
    let noted = try FileStamp(cursor)
    #expect(try scene.step().foundBy == FoundBy(.log))
    #expect(try FileStamp(cursor) == noted, "nothing is noted where nothing is new")
    try scene.database.run("CREATE TABLE heir() INHERITS (t); INSERT INTO heir VALUES (2, 'heir')")
    #expect(try scene.step().changes["t"]?.inserted == 1)
    try scene.audit()
    try scene.database.run("INSERT INTO heir VALUES (3, 'heir')")
    #expect(try scene.step().changes["t"]?.inserted == 1)
    try scene.database.run("DROP TABLE heir")
    #expect(try scene.step().changes["t"]?.deleted == 2)
    try scene.database.run("ALTER TABLE old NO INHERIT t")
    #expect(try scene.step().changes["t"]?.deleted == 1)
  }

  @Test func `an emptied log is not trusted even if it had been empty before`() throws {
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t VALUES (1, 'x')",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    for (name, verb) in [("a", "TRUNCATE"), ("b", "TRUNCATE"), ("c", "DELETE FROM"), ("d", "DELETE FROM")] {
      try scene.database.run("UPDATE t SET name = '\(name)'; \(verb) seedbank.log_1")
      let report = try scene.step()
      #expect(report.foundBy == .because(.edited) && report.changes["t"]?.updated == 1, "\(report)")
    }
    try scene.database.run("UPDATE t SET name = 'e'")
    _ = try scene.step()
    try scene.follow("UPDATE t SET name = 'f'")
  }

  // MARK: Triggers

  @Test func `a disabled trigger is a doubt even after it was enabled again, and so is a changed function`()
    throws
  {
    let scene = try scene()
    try scene.database.run(
      "ALTER TABLE zone DISABLE TRIGGER seedbank_update; UPDATE zone SET title = 'unseen'; ALTER TABLE zone ENABLE ALWAYS TRIGGER seedbank_update"
    )
    try scene.compare(.otherTriggers)
    #expect(try scene.scene.published("zone").contains([.text("a"), .text("unseen")]))
    try scene.database.run("DROP TRIGGER seedbank_insert ON zone; INSERT INTO zone VALUES ('q', 'unseen')")
    let report = try scene.scene.fullStep()
    #expect(report.warnings.contains { $0.contains("no longer watches \"zone\"") }, "\(report.warnings)")
    #expect(report.series[0].foundBy == FoundBy(.log, .someTables, reason: "all rows of \"named\", \"zone\""))
    try scene.audit()
    try scene.remove()
    #expect(try scene.step().foundBy == .because(.noLog))
    try scene.setUp()
    try scene.compare(.first)
    try scene.remove()
    try scene.setUp()
    try scene.compare(.otherTriggers)
    try scene.database.run(
      "CREATE OR REPLACE FUNCTION seedbank.log_3_update() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
    )
    let changed = try scene.scene.fullStep()
    #expect(changed.warnings.contains { $0.contains("no longer watches") }, "\(changed.warnings)")
    try scene.database.run("UPDATE zone SET title = 'unseen again'")
    try scene.step()
    try scene.audit()
  }

  @Test(.full) func `a large statement after small ones does not reuse their query plan`() throws {
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t SELECT i, 'x' FROM generate_series(1, 50000) i",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    // A plan for one or two rows would take more than a billion comparisons, too many for this timeout.
    let small = (1...6).map { "UPDATE t SET name = 'y' WHERE id = \($0)" }.joined(separator: "; ")
    try scene.database.run("\(small); SET statement_timeout = '30s'; UPDATE t SET name = 'z'")
    let report = try scene.step()
    #expect(report.foundBy == FoundBy(.log) && report.changes["t"]?.updated == 50_000)
  }

  // MARK: Names and privileges

  @Test func `names may contain any character`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE SCHEMA "a ""b'\\ $$"; CREATE TYPE "a ""b'\\ $$"."m''" AS ENUM ('x''y', 'z\\');
      CREATE TABLE "a ""b'\\ $$"."t ""1'\\ $seedbank$ %s ;--"("found" int, "tg_op '""\\" "a ""b'\\ $$"."m''", "new" text,
        PRIMARY KEY ("found", "tg_op '""\\"));
      INSERT INTO "a ""b'\\ $$"."t ""1'\\ $seedbank$ %s ;--" VALUES (1, 'x''y', 'n');
      """,
      """
      CREATE TABLE "t ""1'\\ $seedbank$ %s ;--"("found" INTEGER, "tg_op '""\\" TEXT, "new" TEXT, PRIMARY KEY ("found", "tg_op '""\\"))
      WITHOUT ROWID
      """, schemaName: "a \"b'\\ $$")
    let table = "\"a \"\"b'\\ $$\".\"t \"\"1'\\ $seedbank$ %s ;--\""
    try scene.follow("INSERT INTO \(table) VALUES (2, 'z\\', 'o'), (2, 'x''y', 'p')")
    try scene.follow("UPDATE \(table) SET \"found\" = 3 WHERE \"new\" = 'o'")
    let report = try scene.follow("DELETE FROM \(table) WHERE \"tg_op '\"\"\\\" = 'x''y'")
    #expect(report.changes.values.first?.deleted == 2)
  }

  @Test
  func `writers need no privilege on the log, and readers only SELECT on it and on the published columns`()
    throws
  {
    let tables = ["t", "v"].map { "CREATE TABLE \($0)(id INTEGER PRIMARY KEY, name TEXT);" }
    var scene = try PostgresLogScene(
      """
      CREATE TABLE t(id int PRIMARY KEY, secret text, name text); INSERT INTO t VALUES (1, 's', 'a'), (2, 's', 'b');
      CREATE VIEW v AS SELECT * FROM t
      """, tables.joined())
    let (writer, role) = ("w_\(scene.database.name)", "c_\(scene.database.name)")
    try scene.database.run("CREATE ROLE \(writer); GRANT ALL ON ALL TABLES IN SCHEMA public TO \(writer)")
    try scene.follow(
      "SET ROLE \(writer); UPDATE t SET name = 'w'; CREATE TEMP TABLE seedbank_new(code text)",
      reason: "all rows of \"v\"")
    try scene.database.run("CREATE ROLE \(role) LOGIN; GRANT SELECT (id, name) ON t, v TO \(role)")
    var other = scene.scene
    other.place = scene.database.place(user: role)
    let refused = other.refusal()
    #expect(
      refused.isConfiguration && refused.description.contains("GRANT USAGE ON SCHEMA \"seedbank\""),
      "\(refused)")
    try scene.database.run(
      "GRANT USAGE ON SCHEMA seedbank TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA seedbank TO \(role)")
    scene.scene.place = PostgresPlace(
      url: scene.database.url(user: role), shownURL: scene.scene.place.text, schema: "public")
    try scene.compare(.otherSchema)
    let report = try scene.follow("UPDATE t SET name = 'c' WHERE id = 2", reason: "all rows of \"v\"")
    #expect(report.changes["t"]?.updated == 1 && report.changes["v"]?.updated == 1)
  }
}
