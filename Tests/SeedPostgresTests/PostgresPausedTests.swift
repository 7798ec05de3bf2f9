import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import Support
import Testing

/// A standby whose replay is paused and resumed at random, beside psycopg, an independent client.
@Suite struct PostgresPausedTests {
  private static let tables = """
    CREATE TABLE t(id int PRIMARY KEY, name text); INSERT INTO t SELECT i, 'row ' || i FROM generate_series(0, 20) i
    """
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"
  private static let program = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "paused_standby.py").path
  private static let seconds = 60

  private var scene: PostgresScene
  private let servers: Replication

  init() throws {
    let cluster = try PostgresCluster()
    scene = try PostgresScene(Self.tables, Self.schema, cluster: cluster)
    // It cancels no reader.
    let standby = scene.database.on(try PostgresCluster(standbyOf: cluster, []))
    servers = Replication(primary: scene.database, standby: standby)
    try servers.follow()
    scene.deployment.job.shrinkGuard.percent = 100
  }

  /// Publishes from one of the servers, and returns the report.
  private mutating func step(on server: PostgresDatabase) throws -> StepReport {
    scene.place = server.place()
    return try scene.fullStep()
  }

  /// The published rows, in the form of the program's lines.
  private func published() throws -> SeedValue {
    try Connection(scene.deployment.folder("state/test-1.sqlite"), .reader).rows(
      "SELECT group_concat(id || '=' || name, ',') FROM (SELECT id, name FROM t ORDER BY id)")[0][0]
  }

  @Test(.full)
  mutating func `a standby that is paused at random never takes back a published row`() throws {
    let seed = Stage.seed
    var (random, states, waits) = (SplitMix(seed: seed), [SeedValue](), 0)
    _ = try step(on: servers.primary)
    let python = ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3"
    let writer = try TestProgram([
      python, Self.program, servers.primary.url(), servers.standby.url(), "\(Self.seconds)", "\(seed)",
    ])
    while writer.isRunning {
      let isStandby = random.chance(70)
      let report = try step(on: isStandby ? servers.standby : servers.primary)
      states.append(try published())
      if report.warnings.contains(where: { $0.contains("lacks published rows: nothing is published") }) {
        #expect(isStandby && report.series[0].outcome == .unchanged, "\(report), seed \(seed)")
        waits += 1
      }
      usleep(50_000)
    }
    let outcome = try writer.outcome()
    try #require(outcome.status == 0, "\(outcome.errors), seed \(seed)")
    try servers.follow()
    _ = try step(on: servers.standby)
    states.append(try published())
    let history = outcome.output.split(separator: "\n").map { SeedValue.text(String($0)) }
    #expect(states.last == history.last, "seed \(seed)")
    #expect(try step(on: servers.primary).series[0].outcome == .unchanged)
    #expect(waits > 0, "seed \(seed)")
    expectOrder(of: states, in: history, "seed \(seed)")
  }
}

/// Expects that the published states are states of the primary, and never go back.
func expectOrder(of states: [SeedValue], in history: [SeedValue], _ what: String) {
  var place = 0
  for state in states {
    guard let next = history[place...].firstIndex(of: state) else {
      Issue.record("\(state) was published after \(history[place]), \(what)")
      return
    }
    place = next
  }
}
