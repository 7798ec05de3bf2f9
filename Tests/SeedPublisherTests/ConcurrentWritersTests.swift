import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedTrust
import Support
import Testing

/// Eight programs write to the origin while it is published. Every version must be a committed state.
@Suite struct ConcurrentWritersTests {
  static let writers = 8
  static let transactions = Stage.pick(quick: 80, full: 150, deep: 2500)
  static let steps = Stage.pick(quick: 8, full: 15, deep: 100)
  static let accounts = 40

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
    """

  /// A transaction of several statements. The invariants are broken between them.
  private static func transaction(_ random: inout SplitMix) -> String {
    let from = Int.random(in: 1...accounts, using: &random)
    let to = from % accounts + 1
    let amount = Int.random(in: 1...50, using: &random)
    let body =
      random.chance(25)
      ? """
      UPDATE account SET base = balance WHERE id = \(from);
      DELETE FROM entry WHERE account = \(from);
      """
      : """
      UPDATE account SET balance = balance - \(amount) WHERE id = \(from);
      INSERT INTO entry(account, amount) VALUES (\(from), -\(amount)), (\(to), \(amount));
      UPDATE account SET balance = balance + \(amount) WHERE id = \(to);
      """
    return "BEGIN IMMEDIATE; \(body) \(random.chance(10) ? "ROLLBACK" : "COMMIT");\n"
  }

  /// A `sqlite3` process that gets some transactions per step and runs them during the step.
  private final class Writer {
    private let program: TestProgram
    private var random: SplitMix

    init(_ number: Int, _ path: String) throws {
      random = SplitMix(seed: UInt64(number))
      program = try TestProgram(
        ["sqlite3", "-bail", "-cmd", ".timeout 120000", path], input: .pipe, joined: true)
      try program.write("PRAGMA synchronous = OFF;\n")
    }

    func write(_ count: Int) throws {
      let script = (0..<count).map { _ in transaction(&random) }.joined()
      try program.write(script)
    }

    func finish() throws {
      program.closeInput()
      #expect(try program.wait(within: longestWait) == .exited(0), "\(program.output)")
    }
  }

  @Test(arguments: [ChangeFinding.comparison, .log])
  func `every version published among eight writers is a committed state`(
    _ finding: ChangeFinding
  )
    throws
  {
    let deployment = try TestDeployment(
      [model("1.0", Self.schema)], in: try TemporaryFolder(inMemory: true))
    deployment.job.snapshotSeconds = .max
    deployment.job.shrinkGuard.percent = 100
    try deployment.origin(
      """
      PRAGMA journal_mode = WAL; \(Self.schema)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.accounts))
      INSERT INTO account SELECT i, 1000, 1000 FROM n;
      """)
    if finding == .log { try Self.follow(deployment) }
    _ = try deployment.step()
    let first = try #require(try deployment.metadata().newestSnapshot)
    let client = try Connection(try deployment.expand(first, to: "client.sqlite"), .writer)
    let writers = try (0..<Self.writers).map { try Writer($0, deployment.originPath) }
    // Detects commits of other connections, so that the following step has something to publish.
    let observer = try Connection(deployment.originPath, .origin)
    for _ in 0..<Self.steps {
      let before = try observer.integer("PRAGMA data_version")
      for writer in writers { try writer.write(Self.transactions / Self.steps) }
      try waitUntil("a writer has committed", every: 0.005) {
        try observer.integer("PRAGMA data_version") != before
      }
      try follow(deployment, client)
    }
    for writer in writers { try writer.finish() }
    try follow(deployment, client)
    let schema = deployment.job.plans[0].schema
    let origin = try seedRows(try Connection(deployment.originPath, .origin), schema)
    #expect(try seedRows(client, schema) == origin)
    try deployment.verify()
    #expect(try deployment.metadata().state.head.number > Self.steps, "a step met no writer")
    if finding == .log { try Self.audit(deployment) }
  }

  private static func follow(_ deployment: TestDeployment) throws {
    deployment.job.policy.changes = .log
    deployment.job.policy.auditSeconds = 86_400
    let connection = try Connection(deployment.originPath, .own)
    let draft = try SQLiteLogDraft(connection)
    try connection.transaction { for statement in draft.statements { try connection.execute(statement) } }
  }

  /// Checks that the steps read the log and that the log is complete.
  private static func audit(_ deployment: TestDeployment) throws {
    let newest = try deployment.step().series[0]
    #expect(
      newest.outcome == .unchanged && newest.foundBy == FoundBy(.log), "\(String(describing: newest.foundBy))"
    )
    deployment.job.policy.auditSeconds = 0
    let report = try deployment.step()
    #expect(report.series[0].outcome == .unchanged && report.series[0].foundBy?.way == .audit)
    #expect(report.warnings.isEmpty, "\(report.warnings)")
  }

  private func follow(_ deployment: TestDeployment, _ client: Connection) throws {
    guard try deployment.step().series[0].outcome == .changed else { return }
    let metadata = try deployment.metadata()
    let newest = metadata.objects.first { $0.version == metadata.state.head && $0.isDelta }
    let document = try deployment.publication.delta(try #require(newest))
    let schema = deployment.job.plans[0].schema
    _ = try client.transaction { try DeltaApplier(client, schema).apply(document) }
    #expect(try client.integer(Self.broken) == 0, "version \(metadata.state.head) is nobody's state")
  }
}
