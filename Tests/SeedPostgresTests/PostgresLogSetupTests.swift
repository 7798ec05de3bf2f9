import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

@Suite struct PostgresLogSetupTests {
  @Test func `only tables that are read get a log and impossible ones are reported with a reason`() throws {
    let scene = try PostgresScene(
      """
      CREATE EXTENSION postgres_fdw; CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw;
      CREATE FOREIGN TABLE away(id int) SERVER s; CREATE TABLE unread(id int PRIMARY KEY);
      CREATE EXTENSION citext; CREATE TABLE loose(id citext PRIMARY KEY); CREATE TABLE digits(id numeric PRIMARY KEY);
      CREATE TABLE money(id numeric(9, 2) PRIMARY KEY); CREATE TABLE bare(id int NOT NULL, x int);
      CREATE UNLOGGED TABLE weak(id int PRIMARY KEY); CREATE TABLE root(id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE part PARTITION OF root DEFAULT; CREATE MATERIALIZED VIEW sums AS SELECT 1 AS id;
      CREATE TABLE behind(id int PRIMARY KEY); CREATE VIEW front AS SELECT * FROM behind;
      CREATE TABLE parent(id int PRIMARY KEY); CREATE TABLE heir() INHERITS (parent);
      CREATE TABLE bytes(id text NOT NULL); CREATE UNIQUE INDEX ON bytes (id COLLATE "C");
      """,
      ["away", "loose", "digits", "money", "bare", "weak", "part", "sums", "front", "parent", "bytes"].map {
        "CREATE TABLE \($0)(id TEXT PRIMARY KEY) WITHOUT ROWID;"
      }.joined())
    let draft = try PostgresLogSetup(scene.place).draft(scene.deployment.job.plans)
    let left = Dictionary(uniqueKeysWithValues: draft.left.map { ($0.table, $0.reason) })
    #expect(
      left["away"]?.contains("foreign table") == true && left["sums"]?.contains("materialized view") == true)
    #expect(left["weak"]?.contains("a crash empties it") == true && left.count == 3, "\(left)")
    let logged = Dictionary(uniqueKeysWithValues: draft.logged.map { ($0.table, $0.by) })
    #expect(
      logged["money"] == "by id"
        && logged["root"] == "as a whole: clients get its rows through a view or a SELECT", "\(logged)")
    for name in ["loose", "digits"] {
      #expect(logged[name]?.contains("may have different texts") == true, "\(logged)")
    }
    for name in ["bare", "bytes"] {
      #expect(logged[name]?.contains("CREATE INDEX ON \"\(name)\" (\"id\")") == true, "\(logged)")
    }
    #expect(
      Set(logged.keys) == ["money", "root", "loose", "digits", "bare", "bytes", "behind", "parent", "heir"])
  }

  @Test func `tables without usable keys are compared in full after a write`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE TABLE digits(id numeric PRIMARY KEY); CREATE TABLE parent(id int PRIMARY KEY, name text);
      CREATE TABLE heir() INHERITS (parent); INSERT INTO parent VALUES (1, 'p'); INSERT INTO heir VALUES (2, 'h');
      """,
      """
      CREATE TABLE digits(id TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT);
      """)
    try scene.follow("INSERT INTO digits VALUES (1.0), (2)", reason: "all rows of \"digits\"")
    try scene.follow("UPDATE digits SET id = 1.00 WHERE id = 1", reason: "all rows of \"digits\"")
    try scene.follow("UPDATE parent SET name = 'both'", reason: "all rows of \"parent\"")
    try scene.follow("DELETE FROM heir", reason: "all rows of \"parent\"")
    try scene.follow("UPDATE digits SET id = 7 WHERE id = 100")
  }

  @Test func `a partitioned table behind a SELECT is logged once per transaction`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE TABLE events(id int, day int, n int) PARTITION BY LIST (day); CREATE TABLE one PARTITION OF events FOR VALUES IN (1);
      CREATE TABLE two PARTITION OF events FOR VALUES IN (2); INSERT INTO events SELECT i, 1 + i % 2, i FROM generate_series(1, 9) i
      """, PostgresScene.schema,
      projections: ["t": "SELECT day AS id, sum(n)::text AS name FROM events WHERE day < 3 GROUP BY day"])
    try scene.follow("UPDATE one SET n = n + 1", reason: "all rows of \"t\"")
    #expect(try count(scene) == "2\n")
    try scene.follow(
      "BEGIN; SAVEPOINT a; DELETE FROM two; ROLLBACK TO a; DELETE FROM one; COMMIT",
      reason: "all rows of \"t\"")
    #expect(try count(scene) == "3\n")
    try scene.follow("CREATE TABLE unread(id int); INSERT INTO unread VALUES (1)")
  }

  // MARK: Mistakes

  @Test func `a user who may not create a log gets a GRANT statement or the owner option`() throws {
    let scene = try PostgresScene(PostgresScene.twentyRows, PostgresScene.schema)
    let (reader, owner) = ("reads_\(scene.database.name)", "owns_\(scene.database.name)")
    try scene.database.run(
      """
      CREATE ROLE \(reader) LOGIN; GRANT SELECT ON t TO \(reader); CREATE ROLE \(owner) LOGIN; ALTER TABLE t OWNER TO \(owner)
      """)
    func place(_ user: String) -> PostgresPlace {
      scene.database.place(user: user)
    }
    func refusal(_ owner: PostgresPlace?) throws -> String {
      let setup = try PostgresLogSetup(place(reader), owner: owner)
      let draft = try setup.draft(scene.deployment.job.plans)
      let error = #expect(throws: PostgresError.self) { try setup.run(draft.statements) }
      #expect(error?.isConfiguration == true)
      return error.map(\.description) ?? ""
    }
    #expect(try refusal(nil).contains("GRANT CREATE ON DATABASE"))
    #expect(try refusal(place(owner)).contains("GRANT CREATE ON DATABASE … TO \"\(owner)\""))
    try scene.database.run("GRANT CREATE ON DATABASE \(scene.database.name) TO \(reader), \(owner)")
    #expect(try refusal(nil).contains("give --owner"))
    let url = "\(scene.database.url())&options=-c%20default_transaction_read_only%3Don"
    #expect(
      try refusal(PostgresPlace(url: url, shownURL: url, schema: "public")).contains("a URL of the primary"))
    #expect(try scene.database.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'seedbank'") == "0\n")
    let setup = try PostgresLogSetup(place(reader), owner: place(owner))
    try setup.run(try setup.draft(scene.deployment.job.plans).statements)
    // The reader can use the owner's log.
    var followed = scene
    followed.place = place(reader)
    followed.deployment.job.policy.changes = .log
    try followed.step()
    try scene.database.run("UPDATE t SET name = 'a' WHERE id = 1")
    try followed.step()
    try scene.database.run("UPDATE t SET name = 'b' WHERE id = 2")
    #expect(try followed.step().foundBy == FoundBy(.log))
    for _ in 0..<2 {
      let removing = try PostgresLogSetup(place(reader), owner: place(owner))
      try removing.run(try removing.removal())
      let rest =
        "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'seedbank'), (SELECT count(*) FROM pg_trigger)"
      #expect(try scene.database.run(rest) == "0|0\n")
    }
  }

  @Test func `the owner of a partitioned table may add partitions to a superuser's log`() throws {
    let scene = try PostgresLogScene(
      """
      CREATE TABLE t(id int PRIMARY KEY, name text) PARTITION BY LIST (id);
      CREATE ROLE parts_of_t; ALTER TABLE t OWNER TO parts_of_t; GRANT CREATE ON SCHEMA public TO parts_of_t
      """, PostgresScene.schema)
    try scene.follow(
      "SET ROLE parts_of_t; CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1); RESET ROLE",
      reason: "all rows of \"t\"")
    #expect(try scene.follow("INSERT INTO t1 VALUES (1, 'new')").changes["t"]?.inserted == 1)
    let rights = "SELECT has_function_privilege('pg_monitor', 'seedbank.log_1_row()', 'EXECUTE')"
    #expect(try scene.database.run(rights) == "f\n", "others could run casts as the log's owner")
  }

  @Test func `a foreign schema named like the log stays and setup waits only briefly for locks`()
    throws
  {
    let scene = try PostgresScene(
      "\(PostgresScene.twentyRows); CREATE SCHEMA seedbank; CREATE TABLE seedbank.own()", PostgresScene.schema
    )
    let error = #expect(throws: PostgresError.self) { try PostgresLogSetup(scene.place).removal() }
    #expect(error?.description.contains("a schema \"seedbank\" that is not a log") == true)
    try scene.database.run("DROP SCHEMA seedbank CASCADE")
    let late = try LateTransaction("UPDATE t SET name = 'busy'", scene.database)
    var place = scene.place
    place.lockTimeoutSeconds = 1
    let setup = try PostgresLogSetup(place)
    let statements = try setup.draft(scene.deployment.job.plans).statements
    let locked = #expect(throws: PostgresError.self) { try setup.run(statements) }
    #expect(
      locked?.isUnavailable == true && locked?.description.contains("origin.lockTimeoutSeconds") == true)
    try late.commit()
    try setup.run(statements)
  }

  @Test func `removal keeps foreign objects in the log's schema and reports objects that depend on the log`()
    throws
  {
    let scene = try PostgresLogScene(PostgresScene.twentyRows, PostgresScene.schema)
    let database = scene.database
    try database.run(
      """
      CREATE TABLE seedbank.logins(id int); CREATE TABLE seedbank.log_archive(xid xid8, at timestamptz);
      CREATE TABLE seedbank.log_99(id int); CREATE FUNCTION seedbank.prune() RETURNS int LANGUAGE sql AS 'SELECT 1';
      CREATE FUNCTION seedbank.log_9_mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER mine AFTER INSERT ON t EXECUTE FUNCTION seedbank.log_9_mine();
      CREATE VIEW busy AS SELECT count(*) FROM seedbank.log_1; CREATE VIEW quiet AS SELECT xid FROM seedbank.log_1
      """)
    let error = #expect(throws: PostgresError.self) { try scene.remove() }
    #expect(
      error?.description.contains("view busy depends on table seedbank.log_1") == true, "\(error as Any)")
    #expect(error?.description.contains("nothing was removed") == true)
    #expect(error?.description.contains("\n") == false && error?.description.contains("view quiet") == true)
    // A new function is a schema change, so one comparison precedes the log.
    try scene.compare(.otherSchema)
    try scene.follow("UPDATE t SET name = 'still' WHERE id = 1")
    try database.run("DROP VIEW busy, quiet")
    try scene.remove()
    func parts() throws -> String {
      try database.run(
        """
        SELECT relname AS name FROM pg_class WHERE relnamespace = 'seedbank'::regnamespace UNION ALL SELECT proname FROM pg_proc
        WHERE pronamespace = 'seedbank'::regnamespace UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY name
        """)
    }
    #expect(try parts() == "log_99\nlog_9_mine\nlog_archive\nlogins\nmine\nprune\n")
    try database.run("UPDATE t SET name = 'written' WHERE id = 2; INSERT INTO seedbank.logins VALUES (1)")
    #expect(try scene.step().foundBy == .because(.noLog))
    try database.run("CREATE TABLE seedbank.logged(id int)")
    #expect(try scene.step().foundBy == .because(.noLog), "a table of that name alone is not a log")
    let foreign = #expect(throws: PostgresError.self) { try scene.remove() }
    #expect(foreign?.description.contains("that is not a log") == true)
  }

  // MARK: Pruning

  // Needs its own server, because open transactions of others keep entries.

  private func count(_ scene: PostgresLogScene) throws -> String {
    try scene.database.run("SELECT count(*) FROM seedbank.log_1")
  }

  @Test
  func
    `published entries are deleted after an hour except for the newest, and a publisher down longer compares`()
    throws
  {
    var scene = try PostgresLogScene(
      PostgresScene.twentyRows, PostgresScene.schema, cluster: try PostgresCluster())
    let draft = try PostgresLogSetup(scene.scene.place).draft(scene.deployment.job.plans)
    #expect(!draft.statements.contains { $0.contains("max(xid)") }, "only PostgreSQL 15 has this aggregate")
    // The server removes no row of a published table that has no identity.
    try scene.database.run("CREATE PUBLICATION every FOR ALL TABLES")
    for id in 1...5 { try scene.database.run("UPDATE t SET name = 'x' WHERE id = \(id)") }
    try scene.step()
    let hour = 3700
    scene.deployment.clock = scene.deployment.clock.adding(seconds: hour)
    try scene.step()
    #expect(try count(scene) == "6\n", "another publisher may not have read them yet")
    try scene.database.run("UPDATE seedbank.log_1 SET at = at - interval '2 hours'")
    try scene.compare(.edited)
    scene.deployment.clock = scene.deployment.clock.adding(seconds: hour)
    let late = try LateTransaction("UPDATE t SET name = 'late' WHERE id = 9", scene.database)
    try scene.follow("UPDATE t SET name = 'y' WHERE id = 7")
    try late.commit()
    #expect(try count(scene) == "2\n", "the newest, and one that came late")
    try scene.follow("UPDATE t SET name = 'z' WHERE id = 8")
    for id in 2...3 { try scene.database.run("UPDATE t SET name = 'unseen' WHERE id = \(id)") }
    try scene.database.run("SELECT seedbank.prune(interval '0 days')")
    #expect(try count(scene) == "1\n")
    try scene.compare(.pruned)
    let busy = try LateTransaction("LOCK TABLE seedbank.log_1 IN EXCLUSIVE MODE", scene.database)
    scene.scene.place.lockTimeoutSeconds = 1
    scene.deployment.clock = scene.deployment.clock.adding(seconds: hour)
    #expect(try scene.step().foundBy == FoundBy(.log), "another session's lock must not stop the step")
    try busy.commit()
    try scene.follow("UPDATE t SET name = 'b' WHERE id = 4")
    try hold(scene)
    for id in 1...3 { try scene.database.run("UPDATE t SET name = 'held' WHERE id = \(id)") }
    try scene.database.run("UPDATE seedbank.log_1 SET at = at - interval '2 hours'")
    scene.deployment.clock = scene.deployment.clock.adding(seconds: hour)
    try scene.step()
    #expect(
      try count(scene) == "1\n", "a held series needs no entries, because it is compared when it is resumed")
  }

  private func hold(_ scene: PostgresLogScene) throws {
    let (deployment, head) = (scene.deployment, try scene.deployment.metadata().state.head)
    let options = try StepOptions(rollingBack: deployment.job.plans[0].series, to: head, deployment.job)
    _ = try deployment.publisher.step(deployment.job, options, now: deployment.clock)
  }

  @Test(.full) func `the step after one that met too many old entries removes the rest`() throws {
    let scene = try PostgresLogScene(
      PostgresScene.twentyRows, PostgresScene.schema, cluster: try PostgresCluster())
    try scene.database.run(
      "INSERT INTO seedbank.log_1(at) SELECT now() - interval '2 hours' FROM generate_series(1, 1010000)")
    try scene.database.run("UPDATE t SET name = 'x' WHERE id = 1")
    try scene.step()
    scene.deployment.clock = scene.deployment.clock.adding(seconds: 3700)
    for rest in ["10002\n", "2\n"] {
      try scene.step()
      #expect(try count(scene) == rest, "the log's first entry, and the newest, are not old")
    }
  }

  @Test func `a user who may not delete old entries reports the command to run`() throws {
    let scene = try PostgresLogScene(PostgresScene.twentyRows, PostgresScene.schema)
    let role = "keeps_\(scene.database.name)"
    try scene.database.run(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA seedbank TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA seedbank, public TO \(role); UPDATE t SET name = 'a'
      """)
    var other = scene.scene
    other.place = PostgresPlace(
      url: scene.database.url(user: role), shownURL: scene.scene.place.text, schema: "public")
    func warnings() throws -> [String] {
      scene.deployment.clock = scene.deployment.clock.adding(seconds: 4000)
      try scene.database.run("UPDATE t SET name = name || 'x'")
      return try other.fullStep().warnings
    }
    #expect(try warnings() == [])
    try scene.database.run("UPDATE seedbank.log_1 SET at = at - interval '9 days'")
    let told = try warnings()
    #expect(told.count == 1 && told[0].contains("SELECT \"seedbank\".prune(interval '7 days')"), "\(told)")
    try scene.database.run("SELECT seedbank.prune(interval '7 days')")
    #expect(try warnings() == [])
  }
}
