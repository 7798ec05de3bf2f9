import Support
import Testing

/// A full scratch folder (`TMPDIR`) is reported with a remedy, and never as damaged data.
@Suite struct ScratchRoomTests {
  /// Part of the path of each scratch file, and of no other file.
  private static let word = "tight-scratch"
  private static let points = 6

  private let store: PulledStore
  private let injector: FaultInjector

  init() throws {
    (store, injector) = (try PulledStore(), try FaultInjector())
    try store.folder.makeFolder(Self.word)
    try store.folder.write("id,name\n1,Tea\n2,Books\n", to: "feed.csv")
  }

  private var environment: [String: String] { ["TMPDIR": store.folder(Self.word)] }

  /// Runs a command whose scratch folder is full from this operation on.
  private func run(_ arguments: [String], fullFrom point: Int = 1) throws -> ProgramOutcome {
    try injector.run(
      arguments, .diskStaysFull, at: point, on: Self.word, in: store.folder.path, environment: environment)
  }

  private func expectRemedy(_ outcome: ProgramOutcome, _ what: String) {
    #expect(outcome.status == 74, "\(what): \(outcome.output)\(outcome.errors)")
    #expect(outcome.errors.contains("TMPDIR"), "\(what): \(outcome.errors)")
    #expect(!outcome.output.contains("not sound"), "\(what)")
  }

  @Test(arguments: [
    "verify", "diff 1 3", "diff 1 3 --rows", "rollback --to 1 --dry-run",
    "init feed.csv --directory feed --dry-run",
  ])
  func `a full scratch folder is reported with the remedy`(_ command: String) throws {
    let arguments = command.split(separator: " ").map(String.init)
    let count = try injector.count(
      arguments, on: Self.word, in: store.folder.path, environment: environment)
    #expect(count > 0)
    for point in FaultInjector.points(count, sample: Self.points) {
      let outcome = try run(arguments, fullFrom: point)
      // After the last write, only the removal of the folder can fail, which needs no action.
      if outcome.status != 0 { expectRemedy(outcome, "\(command), from operation \(point) of \(count)") }
    }
    expectRemedy(try run(arguments), command)
  }

  @Test func `a full scratch folder during a sort of the origin's rows is not reported as a bad origin`()
    throws
  {
    // More than SQLite sorts in memory.
    try Tool.sqlite(
      store.folder("big.sqlite"),
      """
      CREATE TABLE big(id INTEGER PRIMARY KEY, text TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO big SELECT i, printf('%01000d', i) FROM n;
      """)
    let deployment = store.deployment
    #expect(try deployment.seedbank("init", "big.sqlite").status == 0)
    let select = "SELECT id + 0 AS id, text FROM big ORDER BY text DESC LIMIT 100000"
    try store.folder.write(select, to: "seedbank/big/models/1.0/big.sql")
    let regenerate = ["regenerate", "--dataset", "big"]
    expectRemedy(try run(regenerate), "regenerate")
    #expect(try deployment.seedbank("regenerate", "--dataset", "big").output.contains("6,000 rows"))
  }
}
