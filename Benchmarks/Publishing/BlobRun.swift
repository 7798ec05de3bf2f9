import Foundation

/// Cost of publishing and applying a change of one of two rows with long blobs.
struct BlobRun {
  let folder: String
  let isJSON: Bool

  private static let rows = 2
  private static let blobBytes = 64_000_000
  /// The blob's text in the document, in a buffer that doubles, its bytes, and SQLite's old and new row.
  private static let mostBytes = 400_000_000
  /// Seconds after which the origin's stamp is trusted.
  private static let settlingSeconds = 3.0

  func run() throws {
    let report = PublishReport(isJSON: isJSON, rows: Self.rows, layout: TransitOrigin.Layout.rowid.rawValue)
    try sqlite("CREATE TABLE picture(id INTEGER PRIMARY KEY, data BLOB NOT NULL);")
    for row in 1...Self.rows { try sqlite("INSERT INTO picture VALUES (\(row), \(blob));") }
    try Tool.createDeployment(deployment, of: origin)
    _ = try step()
    let (program, front) = try ServingScene.startFront(configuration)
    defer { program.stop() }
    _ = try pull(front)
    try sqlite("UPDATE picture SET data = \(blob) WHERE id = 1;")
    Thread.sleep(forTimeInterval: Self.settlingSeconds)
    report.addPeak("a step with a changed blob of 64 MB", [try step()], bar: Self.mostBytes)
    report.addPeak("a client that applies it", [try pull(front)], bar: Self.mostBytes)
  }

  private var origin: String { "\(folder)/origin.sqlite" }
  private var deployment: String { "\(folder)/deployment" }
  private var configuration: [String] { ["--config", "\(deployment)/seedbank.json"] }
  /// Incompressible bytes that differ in each call.
  private var blob: String { "randomblob(\(Self.blobBytes))" }

  private func sqlite(_ sql: String) throws { try Tool.run("sqlite3", [origin], input: sql) }

  private func step() throws -> ToolRun { try Tool.run(Tool.seedbank, ["regenerate"] + configuration) }

  private func pull(_ front: String) throws -> ToolRun {
    try Tool.run(
      Tool.seedbank,
      [
        "pull", front, "--dataset", "bench", "--model", "1.0", "--store", "\(folder)/store", "--root",
        "\(deployment)/root.json",
      ])
  }
}
