import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Sixteen sessions write the same few rows. Every version must be a committed state, without a missed change.
@Suite struct PostgresWritersTests {
  static let writers = 16
  static let accounts = 200
  /// Duration of the writes in seconds.
  static let seconds = Stage.isDeep ? 20 : 3
  static let portion = 40

  enum Server: CaseIterable { case primary, standby }

  static let cases = Server.allCases.flatMap { server in [(server, ChangeFinding.comparison), (server, .log)]
  }

  /// Invariants: an account's balance is its base plus its entries, and the sum of all balances is constant.
  static let schema = """
    CREATE TABLE account(id INTEGER PRIMARY KEY, base INTEGER NOT NULL, balance INTEGER NOT NULL);
    CREATE TABLE entry(id INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES account, amount INTEGER NOT NULL);
    CREATE INDEX entry_account ON entry(account);
    """

  private static let broken = """
    SELECT (SELECT sum(balance) FROM account) <> \(accounts * 1000) OR EXISTS (
      SELECT 1 FROM account WHERE balance <> base + (
        SELECT coalesce(sum(amount), 0) FROM entry WHERE account = account.id))
    OR EXISTS (SELECT 1 FROM entry WHERE account NOT IN (SELECT id FROM account))
    """

  /// One transaction in ten deletes, one changes keys, one rolls back, and some run long. Deadlocks abort further ones.
  /// Entries follow the updates of both accounts, because PostgreSQL 15.18 forgets a foreign key's lock on a row that
  /// another session is moving to another page. Then it can delete the account and keep the entry.
  private static let origin = """
    CREATE TABLE account(id int PRIMARY KEY, base int NOT NULL, balance int NOT NULL);
    CREATE TABLE entry(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, amount int NOT NULL,
      account int NOT NULL REFERENCES account ON UPDATE CASCADE ON DELETE CASCADE);
    CREATE INDEX entry_account ON entry (account);
    INSERT INTO account SELECT i, 1000, 1000 FROM generate_series(1, \(accounts)) i;
    CREATE PROCEDURE work(ending timestamptz) LANGUAGE plpgsql AS $$
    DECLARE one int; other int; part int; moved int; kind float8;
    BEGIN
      FOR turn IN 1..\(portion) LOOP
        EXIT WHEN clock_timestamp() > ending;
        one := 1 + floor(random() * \(accounts)); other := 1 + floor(random() * \(accounts));
        part := 1 + floor(random() * 50); kind := random();
        IF kind < 0.1 THEN
          DELETE FROM account WHERE id = one AND id <> other RETURNING balance INTO moved;
          moved := coalesce(moved, 0);
          UPDATE account SET base = base + moved, balance = balance + moved WHERE id = other;
          IF NOT FOUND THEN ROLLBACK; CONTINUE; END IF;
        ELSIF kind < 0.2 THEN
          INSERT INTO account VALUES (one, 0, 0) ON CONFLICT DO NOTHING;
        ELSIF kind < 0.3 THEN
          UPDATE account SET id = other WHERE id = one AND NOT EXISTS (SELECT FROM account WHERE id = other);
        ELSIF kind < 0.4 THEN
          UPDATE account SET base = balance WHERE id = one;
          IF FOUND THEN DELETE FROM entry WHERE account = one; END IF;
        ELSE
          UPDATE account SET balance = balance - part WHERE id = one AND id <> other;
          IF FOUND THEN UPDATE account SET balance = balance + part WHERE id = other; END IF;
          IF NOT FOUND THEN ROLLBACK; CONTINUE; END IF;
          INSERT INTO entry(account, amount) VALUES (one, -part), (other, part);
        END IF;
        IF random() < 0.02 THEN PERFORM pg_sleep(random() * 0.3); END IF;
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
      END LOOP;
    END $$;
    """

  @Test(.full, arguments: cases)
  func `every version published among sixteen writers is a committed state and no change is missed`(
    _ server: Server, _ finding: ChangeFinding
  ) throws {
    let scene = try Scene(server, finding)
    let writers = try (0..<Self.writers).map { _ in try scene.primary.writer() }
    for writer in writers { try writer.write("SET deadlock_timeout = '20ms';\n") }
    let ending = Date(timeIntervalSinceNow: TimeInterval(Self.seconds))
    let call = "CALL work(to_timestamp(\(ending.timeIntervalSince1970)));\n"
    while Date() < ending {
      for writer in writers { try writer.write(call) }
      try scene.follow()
    }
    for writer in writers { #expect(try writer.finish()) }
    try scene.settle()
    try scene.follow()
    #expect(try scene.deployment.metadata().state.head.number > 3, "steps met no writer")
    #expect(scene.brokenVersions == [], "these are nobody's states")
    #expect(try scene.client.integer(Self.broken) == 0)
    let fresh = try scene.freshRows()
    #expect(try scene.rows(of: scene.client) == fresh)
    #expect(try scene.published().digest == slowDigest(fresh))
    if finding == .log { try scene.audit() }
  }

  // MARK: Writers that empty tables

  private static let refilled = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"

  @Test func `a table that is emptied and refilled all the time is published`() throws {
    let scene = try PostgresScene(
      """
      CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t SELECT i, 'x' FROM generate_series(1, 500) i;
      CREATE PROCEDURE refill(ending timestamptz) LANGUAGE plpgsql AS $$ BEGIN
        WHILE clock_timestamp() < ending LOOP
          TRUNCATE t; INSERT INTO t SELECT i, clock_timestamp()::text FROM generate_series(1, 500) i; COMMIT;
        END LOOP;
      END $$
      """, Self.refilled)
    let writer = try scene.database.writer()
    try writer.write("CALL refill(clock_timestamp() + interval '0.5 seconds');\n")
    for _ in 0..<4 {
      let report = try scene.fullStep()
      #expect(!report.warnings.contains { $0.contains("read twice") }, "\(report.warnings)")
      #expect(try scene.published().count == 500)
    }
    #expect(try writer.finish())
  }

  @Test func `a writer cannot empty a table that a step will read`() throws {
    let selects = [nil, "SELECT id, name FROM v", "SELECT id, name FROM p WHERE id < 9"]
    let database = try PostgresCluster.shared.get().database()
    for (number, select) in selects.enumerated() {
      // The previous session may still be running.
      let schema = "s\(number)"
      try database.run(
        """
        CREATE SCHEMA \(schema); SET search_path = \(schema);
        CREATE TABLE p(id int PRIMARY KEY, name text) PARTITION BY RANGE (id); CREATE TABLE t PARTITION OF p DEFAULT;
        INSERT INTO p SELECT i, 'x' FROM generate_series(1, 3) i; CREATE VIEW v AS SELECT * FROM t
        """)
      let version = model("1.0", Self.refilled, projections: select.map { ["t": $0] } ?? [:])
      let plan = try SeriesPlan.plans("test", [version])[0]
      let table = try #require(plan.schema.table("t"))
      let place = PostgresPlace(url: database.url(), shownURL: "postgres://host/x", schema: schema)
      let origin = try PostgresOrigin(place).locking([plan])
      #expect(throws: PostgresFailure.self, "\(select ?? "t")") {
        try database.run("SET lock_timeout = '50ms'; TRUNCATE \(schema).t")
      }
      let rows = try origin.rows(table, plan.projection(table))
      var count = 0
      while try rows.next() { count += 1 }
      #expect(count == 3, "\(select ?? "t")")
    }
  }

  /// A publisher that steps repeatedly, and a client that follows it.
  private final class Scene {
    let deployment: TestDeployment
    let primary: PostgresDatabase
    let client: Connection
    let settle: () throws -> Void
    private(set) var brokenVersions: [Int] = []

    init(_ server: Server, _ finding: ChangeFinding) throws {
      switch server {
      case .primary:
        let scene = try PostgresScene(origin, schema)
        (deployment, primary, settle) = (scene.deployment, scene.database, {})
        try scene.step()
      case .standby:
        let own = try PostgresCluster(standbyOf: PostgresCluster.primary.get(), ["hot_standby_feedback=on"])
        let scene = try ReplicatedScene(origin, schema, own: own)
        (deployment, primary, settle) = (scene.deployment, scene.servers.primary, scene.servers.follow)
        _ = try scene.deployment.step()
      }
      deployment.job.snapshotSeconds = .max
      deployment.job.shrinkGuard.percent = 100
      let first = try #require(try deployment.metadata().newestSnapshot)
      client = try Connection(try deployment.expand(first, to: "client.sqlite"), .writer)
      if finding == .log { try followLog() }
    }

    /// Sets up a log, which is followed from the second step on.
    private func followLog() throws {
      let place = primary.place()
      let setup = try PostgresLogSetup(place)
      try setup.run(try setup.draft(deployment.job.plans).statements)
      try settle()
      deployment.job.policy.changes = .log
      deployment.job.policy.auditSeconds = 86_400
      _ = try deployment.step()
    }

    /// Expects that the newest step used the log and that the log is complete.
    func audit() throws {
      // A standby does not receive transactions that write nothing.
      try primary.run("UPDATE account SET base = base WHERE id = (SELECT min(id) FROM account)")
      try settle()
      let newest = try deployment.step().series[0]
      #expect(
        newest.outcome == .unchanged && newest.foundBy == FoundBy(.log),
        "\(String(describing: newest.foundBy))")
      deployment.job.policy.auditSeconds = 0
      let report = try deployment.step()
      #expect(report.series[0].outcome == .unchanged && report.series[0].foundBy?.way == .audit)
      #expect(report.warnings.isEmpty, "\(report.warnings)")
    }

    /// Runs one step and updates the client. A standby may cancel the read.
    func follow() throws {
      do {
        guard try deployment.step().series[0].outcome == .changed else { return }
      } catch let error as PostgresError where error.isUnavailable {
        return
      } catch let error as OriginError {
        #expect(try primary.run(broken) == "f\n", "the server itself has a broken state")
        throw error
      }
      let newest = try published()
      let document = try deployment.publication.delta(newest)
      let schema = deployment.job.plans[0].schema
      _ = try client.transaction { try DeltaApplier(client, schema).apply(document) }
      if try client.integer(broken) != 0 { brokenVersions.append(newest.version.number) }
    }

    func published() throws -> PublishedObject {
      let metadata = try deployment.metadata()
      return try #require(
        metadata.objects.first { object in
          if case .delta = object.kind { object.version == metadata.state.head } else { false }
        })
    }

    func rows(of connection: Connection) throws -> SeedRows {
      try seedRows(connection, deployment.job.plans[0].schema)
    }

    /// The rows of a new deployment that reads everything.
    func freshRows() throws -> SeedRows {
      let fresh = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
      fresh.job = DatasetJob(
        name: fresh.job.name, origin: deployment.job.origin, plans: fresh.job.plans)
      _ = try fresh.step()
      return try rows(of: try Connection(fresh.folder("state/test-1.sqlite"), .reader))
    }
  }
}
