import Foundation

struct PublishScene {
  let folder: String
  let origin: TransitOrigin

  var deployment: String { "\(folder)/deployment" }
  private var configuration: [String] { ["--config", "\(deployment)/seedbank.json"] }
  private var copy: String { "\(deployment)/state/bench-1.sqlite" }
  private var built: String { "\(folder)/built.sqlite" }
  private var snapshotFile: String { "\(folder)/snapshot.sqlite" }

  /// Seconds after which the origin's stamp is trusted, because any later write changes it.
  private static let settlingSeconds = 3.0

  // MARK: Ours

  /// Runs a first build with its snapshot in a new deployment.
  func build() throws -> ToolRun {
    try setUp()
    return try Tool.run(Tool.seedbank, ["regenerate"] + configuration)
  }

  /// Creates a new deployment.
  @discardableResult
  func setUp() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: deployment)
    return try Tool.createDeployment(deployment, of: origin.path)
  }

  func step() throws -> ToolRun { try Tool.run(Tool.seedbank, ["regenerate"] + configuration) }

  /// Runs a publish step with a snapshot.
  func snapshot() throws -> ToolRun {
    try Tool.run(Tool.seedbank, ["regenerate", "--snapshot"] + configuration)
  }

  /// Sets up a log and lets this deployment follow it.
  func setUpLog() throws {
    try Tool.run(Tool.seedbank, ["origin", "log", "setup", "--yes"] + configuration)
  }

  func removeLog() throws {
    try Tool.run(Tool.seedbank, ["origin", "log", "remove", "--yes"] + configuration)
  }

  /// Runs only the process's start.
  func start() throws -> ToolRun { try Tool.run(Tool.seedbank, ["version"]) }

  /// Changes the origin, and waits until its stamp is certain to differ.
  func change(_ run: Int) throws {
    try origin.change(run)
    Thread.sleep(forTimeInterval: Self.settlingSeconds)
  }

  /// Adds a filled column to the origin, and makes a minor with it; returns the cost of the first.
  func beginMinor(adding column: String) throws -> ToolRun {
    let change = try origin.add(column: column)
    try Tool.run(Tool.seedbank, ["model", "new"] + configuration)
    return change
  }

  /// The size of a published delta; throws if there is none.
  func deltaBytes(from: Int, to: Int) throws -> Int {
    let name = "*delta-\(from)-\(to).json.gz"
    return try Tool.number("find", ["\(deployment)/publication", "-name", name, "-printf", "%s"]).number
  }

  // MARK: Baselines

  /// Reads every value of the origin once.
  func readBaseline() throws -> ToolRun {
    let sql = TransitOrigin.tables.map { table in
      """
      .output |sqlite3 -readonly '\(origin.path)'
      SELECT 'SELECT ' || group_concat('total(length("' || name || '"))') || ' FROM \(table)'
      FROM pragma_table_info('\(table)');
      .output
      """
    }
    return try Tool.run("sqlite3", ["-readonly", origin.path], input: sql.joined(separator: "\n"))
  }

  /// SQLite's own full comparison: the differences of both sides.
  func compareBaseline() throws -> ToolRun {
    let sides = TransitOrigin.tables.flatMap { [("main.\($0)", "copy.\($0)"), ("copy.\($0)", "main.\($0)")] }
    let compares = sides.map { "SELECT * FROM \($0.0) EXCEPT SELECT * FROM \($0.1);" }
    return try Tool.run(
      "sqlite3", [origin.path], input: "ATTACH '\(copy)' AS copy;\n" + compares.joined(separator: "\n"))
  }

  /// Compresses the values of one column; returns the cost and the compressed bytes.
  func columnBaseline(_ column: String) throws -> (cost: ToolRun, number: Int) {
    let read = "sqlite3 -readonly '\(origin.path)' 'SELECT \(column) FROM stop_time'"
    return try Tool.number("sh", ["-ec", "\(read) | pigz -6 | wc -c"])
  }

  /// Vacuums, compresses and hashes a copy of the working copy.
  func snapshotBaseline() throws -> ToolRun {
    defer { removeSnapshot() }
    return try Tool.run("sh", ["-ec", pipeline(from: copy)])
  }

  /// Fills a new file by the same projections, with the same indexes and both of SQLite's checks, then runs the pipeline.
  func buildBaseline() throws -> ToolRun {
    defer { removeSnapshot() }
    try? FileManager.default.removeItem(atPath: built)
    let fill = TransitOrigin.tables.map { "INSERT INTO \($0) SELECT * FROM origin.\($0);" }
    let script = """
      \(origin.schema)
      ATTACH '\(origin.path)' AS origin;
      BEGIN;
      \(fill.joined(separator: "\n"))
      \(TransitOrigin.index);
      COMMIT;
      PRAGMA integrity_check;
      PRAGMA foreign_key_check;
      """
    let file = "\(folder)/build.sql"
    try script.write(toFile: file, atomically: false, encoding: .utf8)
    return try Tool.run("sh", ["-ec", "sqlite3 \(built) < \(file); \(pipeline(from: built))"])
  }

  private func pipeline(from database: String) -> String {
    """
    sqlite3 \(database) "VACUUM INTO '\(snapshotFile)'"; pigz -6 \(snapshotFile); sha256sum \(snapshotFile).gz
    """
  }

  private func removeSnapshot() {
    for suffix in ["", ".gz"] { try? FileManager.default.removeItem(atPath: snapshotFile + suffix) }
  }
}
