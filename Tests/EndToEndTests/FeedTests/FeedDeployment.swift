import Foundation
import SeedFormat
import SeedPublication
import SeedTrust
import Support

final class FeedDeployment {
  let folder: TemporaryFolder

  static let schema = """
    CREATE TABLE stops(stop_id TEXT PRIMARY KEY NOT NULL, stop_name TEXT NOT NULL, stop_lat REAL, zone INTEGER);
    CREATE TABLE stop_times(trip_id TEXT NOT NULL, stop_sequence INTEGER NOT NULL, stop_id TEXT,
      PRIMARY KEY (trip_id, stop_sequence)) WITHOUT ROWID;
    """
  static let stops = "stop_id,stop_name,stop_lat,zone\nA,Zoo,1.5,7\nB,Bay,,\n"
  static let allStops = "SELECT * FROM stops ORDER BY stop_id"
  static let times = "stop_id,trip_id,stop_sequence\nA,T,1\nB,T,2\n"

  private static let template = FolderTemplate()

  init(_ schema: String = FeedDeployment.schema) throws {
    folder = try TemporaryFolder(inMemory: true)
    try Self.template.fill(folder) {
      try Tool.sqlite(folder("my.sqlite"), Self.schema)
      try folder.succeed("init", "my.sqlite")
    }
    if schema != Self.schema { try folder.write(schema, to: "seedbank/my/models/1.0/schema.sql") }
    try write(Self.stops, "stops.txt")
    try write(Self.times, "stop_times.txt")
    try configure("")
  }

  /// Sets the path and further members of the origin. Files are read without a delay.
  func configure(_ members: String, settleSeconds: Int = 0) throws {
    let origin = #""origin": {"feed": "../../feed", "settleSeconds": \#(settleSeconds)\#(members)}"#
    try folder.edit("seedbank/my/dataset.json") { $0.replacing(#/"origin": \{[^}]*\}+/#, with: origin) }
  }

  func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

  func write(_ bytes: [UInt8], _ name: String) throws { try folder.write(bytes, to: "feed/\(name)") }

  func remove(_ name: String) throws { try folder.remove("feed/\(name)") }

  @discardableResult func regenerate(_ options: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["regenerate"] + options, in: folder.path)
  }

  /// The error message of a step, or "published".
  func refusal() throws -> String {
    let outcome = try regenerate("--json")
    guard outcome.status != 0 else { return "published" }
    let json = try JSONValue(parsing: Array(outcome.output.utf8))
    return json["error"]?["message"]?.string ?? outcome.errors
  }

  /// The published rows from the publisher's copy, as the sqlite3 command prints them.
  func rows(_ sql: String) throws -> [String] {
    try Tool.sqlite(folder("seedbank/state/my-1.sqlite"), sql).split(separator: "\n").map(String.init)
  }

  var version: Int {
    get throws {
      let publication = PublicationDirectory(folder("seedbank/publication"))
      return try publication.published().series[SeedSeries("my", major: 1)]?.metadata.state.head.number ?? 0
    }
  }
}
