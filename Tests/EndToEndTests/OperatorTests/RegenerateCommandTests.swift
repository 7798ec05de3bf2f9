import Foundation
import SeedFormat
import Support
import Testing

@Suite struct RegenerateCommandTests {
  private let folder: TemporaryFolder

  private static let template = FolderTemplate()

  /// Has two published datasets with 200 rows each: `other`, and `transit` with two majors.
  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Self.template.fill(folder) { [folder] in try Self.publish(in: folder) }
  }

  private static func publish(in folder: TemporaryFolder) throws {
    for name in ["transit", "other"] {
      try folder.sqlite(
        "\(name).sqlite",
        """
        CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO stop SELECT value, 'stop ' || value FROM generate_series(1, 200);
        """)
    }
    try folder.succeed("init", "transit.sqlite")
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
    try folder.succeed("regenerate")
  }

  private func regenerate(_ options: String...) throws -> ProgramOutcome {
    try SeedbankBinary.run(["regenerate"] + options, in: folder.path)
  }

  private func json(_ outcome: ProgramOutcome) throws -> [JSONValue] {
    try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  private func move(_ old: String, to new: String) throws {
    try FileManager.default.moveItem(atPath: folder(old), toPath: folder(new))
  }

  @Test func `an error in one dataset does not delay another, and the first sets the exit code`() throws {
    try move("transit.sqlite", to: "away")
    try folder.sqlite("other.sqlite", "UPDATE stop SET name = 'x' WHERE id = 1")
    for dryRun in [["--dry-run"], []] {
      let outcome = try SeedbankBinary.run(["regenerate", "--json"] + dryRun, in: folder.path).expect(
        69, "transit: There is no origin database")
      let lines = try json(outcome)
      try #require(lines.count == 2)
      #expect(lines[0]["dataset"]?.string == "transit" && lines[0]["series"] == [])
      #expect(lines[0]["warnings"] == [])
      #expect(lines[0]["error"]?["kind"]?.string == "unavailable")
      #expect(lines[0]["error"]?["exitCode"]?.integer == 69)
      #expect(lines[1]["series"]?.elements?.first?["outcome"] == "changed" && lines[1]["error"] == nil)
    }
    try folder.sqlite("other.sqlite", "DROP TABLE stop")
    try regenerate().expect(
      69, "transit: There is no origin database", "other: Table", "no such table: stop", "bring it back, or")

    // A failure of the whole command is one line.
    try folder.remove("seedbank/keys/timestamp.key")
    let lines = try json(regenerate("--json").expect(78))
    #expect(lines.count == 1 && lines.first?["error"]?["kind"]?.string == "configuration")
    #expect(lines.first?["error"]?["message"]?.string?.contains("timestamp.key") == true)
  }

  @Test func `a published series without a model is reported until it is retired`() throws {
    try move("seedbank/transit/models/1.0", to: "away")
    let words = "transit/1: published at version 1, but none of its model folders is left"
    let outcome = try regenerate("--json").expect(0, words)
    #expect(try json(outcome)[0]["warnings"]?.elements?.first?.string?.hasPrefix(words) == true)
    for command in [["status"], ["config", "check"]] {
      try SeedbankBinary.run(command, in: folder.path).expect(0, output: words)
    }
    try move("away", to: "seedbank/transit/models/1.0")
    #expect(try !regenerate().errors.contains(words))
    try retire("1")
    try move("seedbank/transit/models/1.0", to: "away")
    #expect(try !regenerate().errors.contains("none of its"))
    try Tool.run(["sed", "-i", "s/, \"other\"//", folder("seedbank/seedbank.json")])
    #expect(try regenerate().errors.contains("other/1: published at version 1, but none of its"))
  }

  /// Retires a major of `transit` and publishes.
  private func retire(_ major: String) throws {
    let retired = #"{"\#(major)": {"state": "retired", "message": "Please update"}}"#
    try Tool.run(["sed", "-i", "1s/{/{\"lifecycle\": \(retired),/", folder("seedbank/transit/dataset.json")])
    try folder.succeed("regenerate")
  }

  @Test func `a retired series has no next snapshot, and needs neither a working copy nor a step`() throws {
    try retire("1")
    try folder.seedbank("status", "--dataset", "transit").expect(
      0, output: "model: 1.0, retired (\"Please update\")", "next: nothing, it is retired")
    let series = try json(folder.seedbank("status", "--json"))[0]["series"]?.elements?.first
    #expect(series?["message"]?.string == "Please update" && series?["nextSnapshotAt"] == .null)
    try folder.remove("seedbank/state/transit-1.sqlite")
    try Tool.run(["cp", "-r", "1.0", "3.0"], in: folder("seedbank/transit/models"))
    try folder.succeed("model", "retire", "3", "--dataset", "transit")
    #expect(try folder.succeed("status", "--check").hasPrefix("ok: "))
  }

  @Test func `an ambiguous command asks for the option, and an option without effect is rejected`() throws {
    for (words, message) in [
      ("diff 1 1", "set '--dataset' to one of \"transit\" or \"other\""),
      ("diff 1 1 --dataset transit", "set '--series' to one of \"1\" or \"2\""),
      ("config show --dataset transit", "--dataset"), ("config check --model 1.0", "--model"),
    ] {
      try SeedbankBinary.run(words.split(separator: " ").map(String.init), in: folder.path).expect(
        64, message)
    }
  }

  @Test func `every shrunken series is reported, and a dry run counts its rows and ends with 65`() throws {
    try Tool.sqlite(folder("transit.sqlite"), "DELETE FROM stop")
    let step = try regenerate("--dataset", "transit")
    #expect(step.status == 65 && step.output.isEmpty)
    for series in ["transit/1 is held back", "transit/2 is held back"] {
      #expect(step.errors.contains(series), "\(step.errors)")
    }
    let dry = try regenerate("--dataset", "transit", "--dry-run", "--json").expect(
      65, "transit/2 is held back")
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
