import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublication
import SeedPublisher
import SeedSystem
import Support
import Testing

/// Overlapping transactions of many kinds, and schema changes. Steps read the primary, and a standby that is paused at
/// random; psycopg, an independent client, records the committed states.
@Suite struct PostgresStormTests {
  private static let tables = """
    CREATE TYPE mood AS ENUM ('first', 'calm');
    CREATE TABLE item(id int PRIMARY KEY, name text, mood mood DEFAULT 'calm', added int NOT NULL DEFAULT 0);
    CREATE TABLE part(id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
    CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (20);
    CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (20) TO (40);
    CREATE TABLE bulk(id int PRIMARY KEY, name text);
    CREATE TABLE mark(session int PRIMARY KEY, n int);
    INSERT INTO item SELECT i, 'x' FROM generate_series(0, 39) i; INSERT INTO part SELECT id, name FROM item;
    INSERT INTO bulk SELECT i, 'x' FROM generate_series(1, 20) i; INSERT INTO mark SELECT i, 0 FROM generate_series(0, 7) i;
    """
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, mood TEXT, added INTEGER);
    CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE bulk(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE mark(session INTEGER PRIMARY KEY, n INTEGER);
    """
  /// All rows as text, in SQL for both databases. Each transaction counts in `mark`, so no two states are equal.
  private static let lines = """
    SELECT 'item ' || id || ' ' || name || ' ' || mood || ' ' || added AS line FROM item
    UNION ALL SELECT 'part ' || id || ' ' || name FROM part UNION ALL SELECT 'bulk ' || id || ' ' || name FROM bulk
    UNION ALL SELECT 'mark ' || session || ' ' || n FROM mark
    """
  private static let program = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "storm.py").path
  private static let seconds = Stage.isDeep ? 60 : 8

  private var scene: PostgresScene
  private let servers: Replication
  private var states: [SeedValue] = []
  private var logged = 0
  private var failures: [String] = []

  init() throws {
    let prepared = "max_prepared_transactions=20"
    let cluster = try PostgresCluster([prepared])
    scene = try PostgresScene(Self.tables, Self.schema, cluster: cluster)
    let standby = scene.database.on(
      try PostgresCluster(standbyOf: cluster, [prepared, "max_standby_streaming_delay=500ms"]))
    servers = Replication(primary: scene.database, standby: standby)
    try servers.follow()
    scene.deployment.job.shrinkGuard.percent = 100
  }

  @Test(.full, arguments: [ChangeFinding.comparison, .log])
  mutating func `every version published in a storm of writes is a committed state and no change is missed`(
    _ finding: ChangeFinding
  ) throws {
    let seed = Stage.seed
    var (random, server) = (SplitMix(seed: seed), servers.primary)
    try step(on: server)
    if finding == .log { try setUpLog() }
    try servers.follow()
    let storm = try storm(seed)
    let limit = Date(timeIntervalSinceNow: TimeInterval(Self.seconds) + longestWait)
    while storm.isRunning, Date() < limit {
      if random.chance(15) { server = random.chance(60) ? servers.standby : servers.primary }
      try attempt(on: server)
      usleep(20_000)
    }
    let outcome = try storm.outcome(within: 1)
    let what = "\(finding), seed \(seed), \(failures.count) of \(states.count) steps failed: \(Set(failures))"
    try #require(outcome.status == 0, "\(outcome.errors), \(what)")
    try servers.follow()
    try step(on: servers.standby)
    #expect(try step(on: servers.primary).series[0].outcome == .unchanged, "\(what)")
    let history = outcome.output.split(separator: "\n").map { SeedValue.text(String($0)) }
    #expect(states.last == history.last, "\(what)")
    #expect(Set(states).count > 3 && (logged > 0) == (finding == .log), "steps met no writer, \(what)")
    expectOrder(of: states, in: history, what)
    print("a storm of \(history.count) states, \(logged) steps with the log, \(what) \(outcome.errors)")
  }

  private func setUpLog() throws {
    let setup = try PostgresLogSetup(scene.place)
    try setup.run(try setup.draft(scene.deployment.job.plans).statements)
    scene.deployment.job.policy.changes = .log
    scene.deployment.job.policy.auditSeconds = 86_400
  }

  private func storm(_ seed: UInt64) throws -> TestProgram {
    let python = ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3"
    return try TestProgram([
      python, Self.program, servers.primary.url(), servers.standby.url(), "\(Self.seconds)", "\(seed)",
      Self.lines,
    ])
  }

  /// Runs a step. Locks, replay or a renamed label may make it fail temporarily.
  private mutating func attempt(on server: PostgresDatabase) throws {
    do {
      let report = try step(on: server)
      if report.series[0].foundBy?.way == .log { logged += 1 }
    } catch let error as PostgresError where error.isUnavailable {
      failures.append("\(error)".filter { !$0.isNumber })
      states.append(try published())
    }
  }

  @discardableResult
  private mutating func step(on server: PostgresDatabase) throws -> StepReport {
    scene.place = server.place()
    let report = try scene.fullStep()
    states.append(try published())
    return report
  }

  private func published() throws -> SeedValue {
    try Connection(scene.deployment.folder("state/test-1.sqlite"), .reader).rows(
      "SELECT group_concat(line, ';') FROM (SELECT line FROM (\(Self.lines)) ORDER BY line)")[0][0]
  }
}
