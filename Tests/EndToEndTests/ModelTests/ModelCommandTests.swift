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
    let (folder, model) = (deployment.folder, deployment.folder("seedbank/my"))
    try deployment.origin(
      "ALTER TABLE shop ADD COLUMN phone TEXT; CREATE TABLE park(id INTEGER PRIMARY KEY);")
    let words = "the origin has gained the table \"park\" and the column \"shop\".\"phone\""
    #expect(try told(deployment).contains(words))
    #expect(try folder.succeed("config", "check").contains("warning: my: \(words)"))
    #expect(try folder.succeed("status").replacing("\n", with: " ").contains("seedbank model new"))

    let files = try FileManager.default.subpathsOfDirectory(atPath: model)
    try deployment.seedbank("model", "new", "--dry-run").expect(
      0, output: "Would write", "Added column \"shop\".\"phone\"")
    let json = try #require(try deployment.json("model", "new", "--dry-run").first)
    #expect(json["model"] == "1.1" && json["added"]?.elements?.count == 2 && json["dryRun"] == true)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: model) == files)

    try deployment.seedbank("model", "new").expect(
      0,
      output: "Added table \"park\"\n", "Added column \"shop\".\"phone\"\n",
      "each client of my/1 receives it as changes", "dataset: \"my\", version: \"1.1\",\n")
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try deployment.seedbank("regenerate").errors.isEmpty)

    try deployment.origin("CREATE TABLE internal(id INTEGER PRIMARY KEY)")
    #expect(try told(deployment).contains("\"internal\""))
    #expect(try folder.succeed("model", "skip").contains("Skipped: the table \"internal\"."))
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try folder.succeed("model", "skip").contains("no new tables or columns"))
    #expect(!(try folder.succeed("model", "new").contains("internal")))
  }

  @Test func `model skip excludes the given names, and model new adds the rest`() throws {
    let deployment = try OperatedDeployment()
    let skip = ["model", "skip", "staff", "shop.margin"]
    try deployment.seedbank("model", "skip", "shop").expect(64, "the origin has no new tables")
    try deployment.origin(
      """
      ALTER TABLE shop ADD COLUMN phone TEXT; ALTER TABLE shop ADD COLUMN margin REAL;
      CREATE TABLE staff(id INTEGER PRIMARY KEY, pay REAL); CREATE INDEX by_pay ON staff(pay);
      """)
    let before = try deployment.folder.text("seedbank/my/known-origin.json")
    let dry = try SeedbankBinary.succeed(skip + ["--dry-run"], in: deployment.folder.path)
    #expect(dry.hasPrefix("Would be skipped: the table \"staff\""))
    #expect(try deployment.folder.text("seedbank/my/known-origin.json") == before)
    try SeedbankBinary.run(skip, in: deployment.folder.path).expect(
      0,
      output: "Skipped: the table \"staff\", the column \"shop\".\"margin\" and the index \"by_pay\".",
      "Still reported: the column \"shop\".\"phone\".")
    #expect(try told(deployment).contains("the origin has gained the column \"shop\".\"phone\", and clients"))
    let made = try deployment.folder.succeed("model", "new")
    #expect(made.contains("Added column \"shop\".\"phone\"\n"))
    #expect(!made.contains("margin") && !made.contains("staff") && !made.contains("pay"))
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
  }

  @Test func `model skip takes only new names, and an invalid known-origin.json is reported`() throws {
    let deployment = try OperatedDeployment()
    try deployment.origin("ALTER TABLE shop ADD COLUMN phone TEXT")
    let before = try deployment.folder.text("seedbank/my/known-origin.json")
    try deployment.seedbank("model", "skip", "shop.phone", "shop.fax").expect(
      64, "Expected \"shop.phone\" for '<name>', found 'shop.fax'.")
    #expect(try deployment.folder.text("seedbank/my/known-origin.json") == before)
    let json = try #require(try deployment.json("model", "skip", "SHOP").first)
    #expect(json["skipped"]?.string == "the column \"shop\".\"phone\"" && json["remaining"]?.string == "")
    try deployment.folder.write("{\"tables\": {\"shop\": 7}}", to: "seedbank/my/known-origin.json")
    try deployment.seedbank("status").expect(78, "known-origin.json: tables.shop: expected")
  }

  @Test func `model new reads another file in place of the origin, and lists columns that the origin lost`()
    throws
  {
    let deployment = try OperatedDeployment()
    try deployment.folder.sqlite(
      "staging.sqlite", "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank REAL, open INTEGER)")
    try deployment.seedbank("model", "new", "1.5", "--from", "staging.sqlite").expect(
      0, output: "Added column \"shop\".\"open\"")
    // The origin does not have the column yet.
    #expect(try deployment.seedbank("config", "check").output.contains("lacks the column \"open\""))
    try deployment.folder.remove("seedbank/my/models/1.5")
    try deployment.origin("ALTER TABLE shop RENAME COLUMN name TO title")
    try deployment.seedbank("model", "new", "2.0").expect(
      0,
      output: "Added column \"shop\".\"title\"", "To fix before it is published:",
      "lacks the column \"name\"")
  }

  @Test(
    .full,
    arguments: [
      (["model", "new", "1.0"], 64, "my already has model 1.0"),
      (["model", "new", "0.9"], 64, "Expected major.minor"),
      (["model", "new", "two"], 64, "Expected major.minor"),
      (["model", "new", "1.1", "1.2"], 64, "Expected nothing more for '<name>', found '1.2'"),
      (["model", "retire", "1", "2"], 64, "Expected nothing more"),
      (["model", "retire"], 64, "Expected one of the majors \"1\""),
      (["model", "retire", "7"], 64, "Expected one of the majors \"1\""),
      (["model", "retire", "1", "--sunset", "2027-01-01"], 64, "Expected \"model deprecate\""),
      (["model", "deprecate", "1", "--sunset", "soon"], 64, "a day as YYYY-MM-DD"),
      (["model", "deprecate", "1", "--message", ""], 64, "a string that is not empty"),
      (["model", "new", "--from", "none.sqlite"], 69, "no origin database"),
      (["model", "new", "--dataset", "parks"], 64, "\"my\""),
    ])
  func `a usage error of the model commands changes nothing`(words: [String], status: Int32, message: String)
    throws
  {
    let deployment = try OperatedDeployment()
    let before = try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my"))
    let settings = try deployment.folder.text("seedbank/my/dataset.json")
    let outcome = try SeedbankBinary.run(words, in: deployment.folder.path)
    #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: deployment.folder("seedbank/my")) == before)
    #expect(try deployment.folder.text("seedbank/my/dataset.json") == settings)
  }

  @Test func `the folder of a retired major may be removed`() throws {
    let deployment = try OperatedDeployment()
    let folder = deployment.folder
    try folder.succeed("model", "new", "2.0")
    try folder.succeed("regenerate")
    try expectDryRuns(deployment)
    let (day, message) = ("2027-06-30", "Please update")
    let json = try deployment.json("model", "deprecate", "1", "--sunset", day)
    #expect(json.first?["dryRun"] == false)
    // Neither takes the other away.
    try folder.succeed("model", "deprecate", "1", "--message", message)
    #expect(try folder.succeed("regenerate").contains(", now deprecated until \(day)\n"))
    try deployment.seedbank("status").expect(
      0, output: "model: 1.0, deprecated until \(day)", "model: 2.0, active")
    let text = try folder.text("seedbank/my/dataset.json")
    #expect(text.contains("$comment") && text.contains("\"checkSeconds\": 2"))
    #expect(try folder.succeed("model", "retire", "1.x").contains("get no more changes"))
    try folder.succeed("regenerate")
    try folder.remove("seedbank/my/models/1.0")
    #expect(try folder.succeed("regenerate").contains("my/2: unchanged"))
    // The last lifecycle message stays, without a warning.
    #expect(try folder.text("seedbank/my/dataset.json").contains(message))
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
  }

  @Test(arguments: ["skip", "new"])
  func `a skipped table that is missing for a while stays skipped`(action: String) throws {
    let deployment = try OperatedDeployment()
    let staff = "CREATE TABLE staff(id INTEGER PRIMARY KEY, pay REAL)"
    try deployment.origin(staff)
    try deployment.folder.succeed("model", "skip")
    try deployment.origin("DROP TABLE staff; CREATE TABLE park(id INTEGER PRIMARY KEY)")
    try SeedbankBinary.succeed(["model", action], in: deployment.folder.path)
    try deployment.origin(staff)
    #expect(try deployment.folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(!(try deployment.folder.succeed("model", "new").contains("staff")))
  }

  @Test func `the origin may drop a column that only a retired major has`() throws {
    let deployment = try OperatedDeployment()
    let folder = deployment.folder
    try folder.succeed("model", "new", "2.0")
    try folder.write(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT)", to: "seedbank/my/models/2.0/schema.sql")
    try folder.succeed("regenerate")
    try folder.succeed("model", "retire", "1")
    try deployment.origin("ALTER TABLE shop DROP COLUMN rank")
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try folder.succeed("regenerate").contains("my/2: unchanged"))
  }

  /// A dry run of ending a major reports the outcome and writes nothing.
  private func expectDryRuns(_ deployment: OperatedDeployment) throws {
    let before = try deployment.folder.text("seedbank/my/dataset.json")
    for (action, word) in [("deprecate", "deprecated"), ("retire", "retired")] {
      let said = try deployment.folder.succeed("model", action, "1", "--dry-run")
      #expect(said.contains("lifecycle.1 would be \(word).\nClients of my/1 would "), "\(said)")
      #expect(!said.contains("Next:"))
    }
    let json = try #require(try deployment.json("model", "retire", "1", "--dry-run").first)
    #expect(json["dryRun"] == true && json["major"] == 1)
    #expect(try deployment.folder.text("seedbank/my/dataset.json") == before)
  }
}
