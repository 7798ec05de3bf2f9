import Foundation

/// The timetable in a PostgreSQL database, and its deployments.
struct PostgresScene {
  let folder: String
  let server: PostgresServer
  let origin: TransitOrigin
  let name: String

  private var configuration: [String] { ["--config", "\(deployment)/seedbank.json"] }
  private var deployment: String { "\(folder)/\(name)" }
  private var imported: String { "\(folder)/imported.sqlite" }

  private static let schema = """
    CREATE TABLE stop(id text PRIMARY KEY, name text NOT NULL, lat float8 NOT NULL, lon float8 NOT NULL);
    CREATE TABLE trip(id int PRIMARY KEY, line text NOT NULL, headsign text NOT NULL);
    CREATE TABLE stop_time(trip_id int NOT NULL REFERENCES trip, position int NOT NULL, stop_id text NOT NULL REFERENCES stop,
      arrival int NOT NULL, departure int NOT NULL, PRIMARY KEY (trip_id, position));
    """

  /// Fills the database with the file's rows.
  func fill() throws {
    try server.psql("CREATE DATABASE \(name)", in: "postgres")
    try server.psql(Self.schema, in: name)
    for table in TransitOrigin.tables {
      let rows = "sqlite3 -csv '\(origin.path)' 'SELECT * FROM \(table)'"
      let copy = "\(server.psqlCommand(name)) -c 'COPY \(table) FROM STDIN (FORMAT csv)'"
      try Tool.run("sh", ["-ec", "\(rows) | \(copy)"])
    }
    try server.psql("\(TransitOrigin.index); VACUUM ANALYZE", in: name)
  }

  // MARK: Ours

  /// Creates a new deployment.
  @discardableResult
  func setUp() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: deployment)
    return try Tool.createDeployment(deployment, of: server.url(name))
  }

  /// Runs a first build with its snapshot in a new deployment.
  func build() throws -> ToolRun {
    try setUp()
    return try step()
  }

  func step() throws -> ToolRun { try server.measured(Tool.seedbank, ["regenerate"] + configuration) }

  private func seedbank(_ arguments: [String]) throws -> ToolRun {
    try server.measured(Tool.seedbank, arguments)
  }

  /// Like the file's ``TransitOrigin/change(_:)``.
  func change(_ run: Int) throws { try server.psql(origin.changeSQL(run), in: name) }

  /// Sets up a log and lets this deployment follow it.
  func setUpLog() throws { _ = try seedbank(["origin", "log", "setup", "--yes"] + configuration) }

  /// Writes to the database but to no published row.
  func touch() throws {
    try server.psql("CREATE TABLE IF NOT EXISTS elsewhere(n int); INSERT INTO elsewhere VALUES (1)", in: name)
  }

  /// Describes all tables with PostgreSQL's own client, which reads the catalogs in a new session as a step does.
  func describe() throws -> ToolRun {
    try server.psql(TransitOrigin.tables.map { "\\d \($0)" }.joined(separator: "\n"), in: name)
  }

  /// Counts all rows and reads those of the last transactions, which is the least that a step without a log needs.
  func countAndRead() throws -> ToolRun {
    let queries = TransitOrigin.tables.map {
      "SELECT count(*) FROM \($0); SELECT * FROM \($0) WHERE age(xmin) < 20;"
    }
    return try server.psql(queries.joined(separator: "\n"), in: name)
  }

  // MARK: Writers

  private static let statements = 5_000

  /// Updates one row per transaction many times; returns the cost of one.
  func updateOneByOne() throws -> ToolRun {
    let updates = (0..<Self.statements).map {
      "UPDATE stop_time SET departure = departure + 1 WHERE trip_id = \($0 % 1_000) AND position = 1;"
    }
    try server.psql("VACUUM stop_time", in: name)
    return try server.psql(updates.joined(separator: "\n"), in: name).divided(by: Self.statements)
  }

  /// Updates 100,000 rows in one statement.
  func updateMany() throws -> ToolRun {
    try server.psql("VACUUM stop_time", in: name)
    return try server.psql("UPDATE stop_time SET departure = departure + 1 WHERE trip_id < 4000", in: name)
  }

  // MARK: Baselines

  /// Copies all rows to nowhere with PostgreSQL's own client.
  func copyBaseline() throws -> ToolRun {
    try server.psql(TransitOrigin.tables.map { "COPY \($0) TO STDOUT;" }.joined(separator: "\n"), in: name)
  }

  /// Copies the same rows into a vacuumed SQLite file with the same index, with the clients of both.
  func importBaseline() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: imported)
    let imports = TransitOrigin.tables.map { table in
      let copy = "\(server.psqlCommand(name)) -c 'COPY \(table) TO STDOUT (FORMAT csv)'"
      return
        "\(copy) | sqlite3 -cmd 'PRAGMA synchronous = OFF' '\(imported)' '.import --csv /dev/stdin \(table)'"
    }
    let script = """
      sqlite3 '\(imported)' < '\(deployment)/bench/models/1.0/schema.sql'
      \(imports.joined(separator: "\n"))
      sqlite3 '\(imported)' VACUUM
      """
    return try server.measured("sh", ["-ec", script])
  }

  /// Compresses the result of ``importBaseline()`` for download.
  func compressBaseline() throws -> ToolRun {
    try Tool.run("sh", ["-ec", "pigz -6 -k -f '\(imported)'; sha256sum '\(imported).gz'"])
  }
}
