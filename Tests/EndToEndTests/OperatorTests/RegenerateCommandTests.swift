import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

/// What one call of `regenerate` says of several datasets, and of several series.
@Suite struct RegenerateCommandTests {
  private let folder: TemporaryFolder

  /// Two datasets with 200 rows each, `other` and `transit`; the latter has two majors. All is published.
  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    for name in ["transit", "other"] {
      try Tool.sqlite(
        folder("\(name).sqlite"),
        """
        CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO stop SELECT value, 'stop ' || value FROM generate_series(1, 200);
        """)
    }
    try SeedbankBinary.succeed(["init", "transit.sqlite"], in: folder.path)
    try Tool.run(
      [
        "sh", "-ec",
        """
        cp -r transit other
        cp -r transit/models/1.0 transit/models/2.0
        sed -i 's/transit.sqlite/other.sqlite/' other/dataset.json
        sed -i 's/"transit"/"transit", "other"/' seedbank.json
        """,
      ], in: folder("seedbank"))
    try SeedbankBinary.succeed(["regenerate"], in: folder.path)
  }

  private func regenerate(_ options: String...) throws -> SeedbankBinary.Outcome {
    try SeedbankBinary.run(["regenerate"] + options, in: folder.path)
  }

  private func json(_ outcome: SeedbankBinary.Outcome) throws -> [JSONValue] {
    try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  private func move(_ old: String, to new: String) throws {
    try FileManager.default.moveItem(atPath: folder(old), toPath: folder(new))
  }

  @Test(arguments: [[], ["--dry-run"]])
  func `what is wrong with one dataset keeps no other back`(_ dryRun: [String]) throws {
    try move("transit.sqlite", to: "away")
    try Tool.sqlite(folder("other.sqlite"), "UPDATE stop SET name = 'x' WHERE id = 1")
    let outcome = try SeedbankBinary.run(["regenerate", "--json"] + dryRun, in: folder.path)
    #expect(outcome.status == 69 && outcome.errors.contains("transit: There is no origin database"))
    let lines = try json(outcome)
    try #require(lines.count == 2)
    #expect(lines[0]["dataset"]?.string == "transit" && lines[0]["series"] == nil)
    #expect(lines[0]["error"]?["kind"]?.string == "unavailable")
    #expect(lines[0]["error"]?["exitCode"]?.integer == 69)
    #expect(lines[1]["series"]?.elements?.first?["outcome"]?.string == "changed" && lines[1]["error"] == nil)
  }

  @Test func `every dataset that failed is told, and the first has the exit code`() throws {
    try move("transit.sqlite", to: "away")
    try Tool.sqlite(folder("other.sqlite"), "DROP TABLE stop")
    let outcome = try regenerate()
    #expect(outcome.status == 69 && outcome.errors.contains("transit: There is no origin database"))
    #expect(outcome.errors.contains("other: Table") && outcome.errors.contains("no such table: stop"))
  }

  @Test func `a failure of the whole command is one line of JSON`() throws {
    try FileManager.default.removeItem(atPath: folder("seedbank/keys/timestamp.key"))
    for command in ["regenerate", "prune"] {
      let outcome = try SeedbankBinary.run([command, "--json"], in: folder.path)
      let lines = try json(outcome)
      #expect(outcome.status == 78 && lines.count == 1)
      #expect(lines.first?["error"]?["kind"]?.string == "configuration")
      #expect(lines.first?["error"]?["message"]?.string?.contains("timestamp.key") == true)
    }
  }

  @Test func `every series that lost its rows is named, and a dry run counts them before it ends with 65`()
    throws
  {
    try Tool.sqlite(folder("transit.sqlite"), "DELETE FROM stop")
    let step = try regenerate("--dataset", "transit")
    #expect(step.status == 65 && step.output.isEmpty)
    for series in ["transit/1 is held back", "transit/2 is held back"] {
      #expect(step.errors.contains(series), "\(step.errors)")
    }
    let dry = try regenerate("--dataset", "transit", "--dry-run", "--json")
    #expect(dry.status == 65 && dry.errors.contains("transit/2 is held back"))
    let lines = try json(dry)
    try #require(lines.count == 1)
    let series = try #require(lines[0]["series"]?.elements)
    for one in series {
      #expect(one["shrunk"]?.elements?.first?["before"]?.integer == 200)
      #expect(one["tables"]?["stop"]?["deleted"]?.integer == 200)
    }
    #expect(series.count == 2)
    #expect(try regenerate("--dataset", "transit", "--accept-shrink").status == 0)
  }
}
