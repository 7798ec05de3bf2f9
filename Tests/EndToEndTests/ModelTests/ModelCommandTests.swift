import Foundation
import SeedFormat
import Support
import Testing

@Suite struct ModelCommandTests {
  /// Returns a step's warnings, without the log's escapes.
  private func told(_ deployment: OperatedDeployment) throws -> String {
    try deployment.seedbank("regenerate").errors.replacing("\\", with: "")
  }

  @Test func `new tables and columns are reported until a model includes or skips them`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin(
      "ALTER TABLE shop ADD COLUMN phone TEXT; CREATE TABLE park(id INTEGER PRIMARY KEY);")
    let words = "the origin has gained the table \"park\" and the column \"shop\".\"phone\""
    #expect(try told(deployment).contains(words))
    #expect(try deployment.seedbank("config", "check").output.contains("warning: my: \(words)"))
    #expect(try deployment.folder.succeed("status").replacing("\n", with: " ").contains("seedbank model new"))
    let made = try deployment.folder.succeed("model", "new")
    #expect(made.contains("Added table \"park\"\n") && made.contains("Added column \"shop\".\"phone\"\n"))
    #expect(made.contains("brings it to each client of my/1 as changes"))
    #expect(made.contains("dataset: \"my\", version: \"1.1\",\n"))
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try deployment.seedbank("regenerate").errors.isEmpty)

    try deployment.origin("CREATE TABLE internal(id INTEGER PRIMARY KEY)")
    #expect(try told(deployment).contains("\"internal\""))
    #expect(try deployment.folder.succeed("model", "skip").contains("Left out: the table \"internal\"."))
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try deployment.folder.succeed("model", "skip").contains("No new tables or columns"))
    #expect(!(try deployment.folder.succeed("model", "new").contains("internal")))
  }

  @Test func `model skip excludes the given names, and model new adds the rest`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin(
      """
      ALTER TABLE shop ADD COLUMN phone TEXT; ALTER TABLE shop ADD COLUMN margin REAL;
      CREATE TABLE staff(id INTEGER PRIMARY KEY, pay REAL); CREATE INDEX by_pay ON staff(pay);
      """)
    let note = deployment.folder("seedbank/my/known-origin.json")
    let before = try String(contentsOfFile: note, encoding: .utf8)
    let dry = try deployment.folder.succeed("model", "skip", "staff", "shop.margin", "--dry-run")
    #expect(dry.hasPrefix("Would be left out: the table \"staff\""))
    #expect(try String(contentsOfFile: note, encoding: .utf8) == before)
    let said = try deployment.folder.succeed("model", "skip", "staff", "shop.margin")
    #expect(
      said.contains("Left out: the table \"staff\", the column \"shop\".\"margin\" and the index \"by_pay\".")
        && said.contains("Still on offer: the column \"shop\".\"phone\"."), "\(said)")
    #expect(try told(deployment).contains("the origin has gained the column \"shop\".\"phone\", and clients"))
    let made = try deployment.folder.succeed("model", "new")
    #expect(made.contains("Added column \"shop\".\"phone\"\n"))
    #expect(!made.contains("margin") && !made.contains("staff") && !made.contains("pay"))
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
  }

  @Test func `model skip rejects a name that is not new in the origin`() throws {
    let deployment = try OperatedDeployment()
    try deployment.seedbank("model", "skip", "shop").expect(64, "the origin has no new tables")
    try deployment.origin("ALTER TABLE shop ADD COLUMN phone TEXT")
    let note = deployment.folder("seedbank/my/known-origin.json")
    let before = try String(contentsOfFile: note, encoding: .utf8)
    try deployment.seedbank("model", "skip", "shop.phone", "shop.fax").expect(
      64, "Expected \"shop.phone\" for '<name>', found 'shop.fax'.")
    #expect(try String(contentsOfFile: note, encoding: .utf8) == before)
    let json = try #require(try deployment.json("model", "skip", "SHOP").first)
    #expect(json["skipped"]?.string == "the column \"shop\".\"phone\"" && json["remaining"]?.string == "")
  }

  @Test func `a dry run lists the changes and writes nothing`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin("ALTER TABLE shop ADD COLUMN phone TEXT")
    let files = try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my"))
    let said = try deployment.folder.succeed("model", "new", "--dry-run")
    #expect(said.contains("Would write") && said.contains("Added column \"shop\".\"phone\""))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my")) == files)
    let json = try #require(try deployment.json("model", "new", "--dry-run").first)
    #expect(json["model"] == "1.1" && json["added"]?.elements?.count == 1 && json["dryRun"] == true)
  }

  @Test func `a dry run of a major's end says what would be and writes nothing`() throws {
    let deployment = try OperatedDeployment()
    let file = deployment.folder("seedbank/my/dataset.json")
    let before = try String(contentsOfFile: file, encoding: .utf8)
    for (action, word) in [("deprecate", "deprecated"), ("retire", "retired")] {
      let said = try deployment.folder.succeed("model", action, "1", "--dry-run")
      #expect(said.contains("lifecycle.1 would be \(word).\nClients of my/1 would "), "\(said)")
      #expect(!said.contains("Next:"))
      let json = try #require(try deployment.json("model", action, "1", "--dry-run").first)
      #expect(json["dryRun"] == true && json["major"] == 1)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
    #expect(try deployment.json("model", "retire", "1").first?["dryRun"] == false)
  }

  @Test func `model new --from reads another file in place of the origin`() throws {
    let deployment = try OperatedDeployment()
    try Tool.sqlite(
      deployment.folder("staging.sqlite"),
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL, open INTEGER)")
    let made = try deployment.folder.succeed("model", "new", "1.5", "--from", "staging.sqlite")
    #expect(made.contains("Added column \"shop\".\"open\""))
    // The origin does not have the column yet.
    #expect(try deployment.seedbank("config", "check").output.contains("lacks the column open"))
  }

  @Test func `model new lists columns that the origin lost`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin("ALTER TABLE shop RENAME COLUMN name TO title")
    let made = try deployment.folder.succeed("model", "new", "2.0")
    #expect(made.contains("Added column \"shop\".\"title\""))
    #expect(made.contains("To fix before it is published:") && made.contains("lacks the column name"))
  }

  @Test(
    .full,
    arguments: [
      (["model", "new", "1.0"], 64, "my has model 1.0 already"),
      (["model", "new", "0.9"], 64, "Expected major.minor"),
      (["model", "new", "two"], 64, "Expected major.minor"),
      (["model", "new", "1.1", "1.2"], 64, "Expected nothing more for '<name>', found '1.2'"),
      (["model", "retire", "1", "2"], 64, "Expected nothing more"),
      (["model", "retire"], 64, "Expected one of the majors \"1\""),
      (["model", "retire", "7"], 64, "Expected one of the majors \"1\""),
      (["model", "retire", "1", "--sunset", "2027-01-01"], 64, "Expected \"model deprecate\""),
      (["model", "deprecate", "1", "--sunset", "soon"], 64, "a day as YYYY-MM-DD"),
      (["model", "new", "--from", "none.sqlite"], 69, "no origin database"),
      (["model", "new", "--dataset", "parks"], 64, "\"my\""),
    ])
  func `a usage error of the model commands changes nothing`(words: [String], status: Int32, message: String)
    throws
  {
    let deployment = try OperatedDeployment()
    let before = try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my"))
    let outcome = try SeedbankBinary.run(words, in: deployment.folder.path)
    #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my")) == before)
  }

  @Test func `an invalid known-origin.json is reported`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.write("{\"tables\": {\"shop\": 7}}", to: "seedbank/my/known-origin.json")
    try deployment.seedbank("status").expect(78, "known-origin.json: tables.shop: expected")
  }

  @Test func `the folder of a retired major may be removed`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.succeed("model", "new", "2.0")
    try deployment.folder.succeed("regenerate")
    try deployment.folder.succeed(
      "model", "deprecate", "1", "--sunset", "2027-06-30", "--message", "Please update")
    try deployment.folder.succeed("regenerate")
    let status = try deployment.folder.succeed("status")
    #expect(
      status.contains("model: 1.0, deprecated until 2027-06-30") && status.contains("model: 2.0, active"))
    let text = try deployment.folder.text("seedbank/my/dataset.json")
    #expect(text.contains("$comment") && text.contains("\"checkSeconds\": 2"))
    #expect(try deployment.folder.succeed("model", "retire", "1.x").contains("get no more changes"))
    try deployment.folder.succeed("regenerate")
    try deployment.folder.remove("seedbank/my/models/1.0")
    #expect(try deployment.folder.succeed("regenerate").contains("my/2: unchanged"))
    // The last lifecycle message stays, without a warning.
    #expect(try deployment.folder.text("seedbank/my/dataset.json").contains("Please update"))
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
  }
}
