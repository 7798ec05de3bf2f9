import Foundation

/// The timetable's tables as CSV files, loaded by ours and by the sqlite3 command.
struct FeedScene {
  let folder: String
  let origin: TransitOrigin

  /// Seconds after which files count as complete, so that no measured step waits for them.
  private static let settlingSeconds = 6.0

  private var feed: String { "\(folder)/feed" }
  private var deployment: String { "\(folder)/fed" }
  private var imported: String { "\(folder)/imported.sqlite" }

  /// Writes the files and makes a deployment that reads them.
  func setUp() throws {
    try FileManager.default.createDirectory(atPath: feed, withIntermediateDirectories: true)
    for table in TransitOrigin.tables {
      let script =
        ".headers on\n.mode csv\n.separator , \"\\n\"\n.output \(feed)/\(table).csv\nSELECT * FROM \(table);\n"
      try Tool.run("sqlite3", [origin.path], input: script)
    }
    try Tool.createDeployment(deployment, of: feed)
    Thread.sleep(forTimeInterval: Self.settlingSeconds)
  }

  /// Loads all files. The time of the rest of the check is negligible.
  func load() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: "\(deployment)/state")
    return try Tool.run(Tool.seedbank, ["config", "check", "--config", "\(deployment)/seedbank.json"])
  }

  /// Loads the same files into the same tables.
  func importBaseline() throws -> ToolRun {
    try? FileManager.default.removeItem(atPath: imported)
    let imports = TransitOrigin.tables.map { ".import --csv --skip 1 \(feed)/\($0).csv \($0)" }
    let script = ([".read \(deployment)/bench/models/1.0/schema.sql"] + imports).joined(separator: "\n")
    return try Tool.run("sqlite3", [imported], input: script + "\n")
  }
}
