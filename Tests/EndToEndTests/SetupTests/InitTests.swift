import SeedFormat
import Support
import Testing

@Suite struct InitTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try folder.sqlite(
      "My Shop.sqlite", "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE log(line TEXT);")
  }

  @Test func `init makes a deployment that can be read back`() throws {
    let before = try folder.sqlite("My Shop.sqlite", ".dump")
    let outcome = try folder.seedbank("init", "My Shop.sqlite").expect(0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("models/1.0/schema.sql: 2 tables\n"))
    #expect(outcome.output.contains("models/1.0/log.sql\n"))
    #expect(outcome.output.contains("\nNumbered the rows of table \"log\": there is no key\n"))
    #expect(outcome.output.hasSuffix("\nNext: seedbank run\n"))
    let shown = try folder.seedbank("config", "show").output.split(separator: "\n")
    for value in ["checkSeconds = 2", "pollSeconds = 2"] {
      #expect(shown.contains { $0.contains(".my-shop.") && $0.contains("\(value)  ") }, "\(shown)")
    }
    #expect(
      shown.contains {
        $0.hasPrefix("datasets.my-shop.origin.sqlite = ") && $0.contains("/My Shop.sqlite")
          && !$0.contains("..")
      })
    #expect(try folder.seedbank("status").output.hasPrefix("my-shop/1\n  not published yet\n"))
    #expect(try folder.sqlite("My Shop.sqlite", ".dump") == before)
  }

  @Test func `init creates the publication, and keys that only their owner can read`() throws {
    #expect(try folder.seedbank("init", "My Shop.sqlite").status == 0)
    let keys = ["root", "series", "snapshot", "targets", "timestamp"].map { "seedbank/keys/\($0).key" }
    #expect(folder.files.filter { $0.hasSuffix(".key") } == keys)
    #expect(try keys.map(folder.mode).allSatisfy { $0 == 0o600 })
    #expect(try folder.mode("seedbank/keys") == 0o700)
    let metadata = "seedbank/publication/metadata"
    let names = ["1.root.json", "1.snapshot.json", "1.targets.json", "timestamp.json"]
    #expect(folder.files.filter { $0.hasPrefix("\(metadata)/") } == names.map { "\(metadata)/\($0)" })
    #expect(try folder.text("seedbank/root.json") == folder.text("\(metadata)/1.root.json"))
    let targets = try JSONValue(parsing: Array(folder.text("\(metadata)/1.targets.json").utf8))
    let roles = targets["signed"]?["delegations"]?["roles"]?.elements ?? []
    #expect(roles.map { $0["name"]?.string } == ["my-shop-1"])
  }

  @Test func `all tables without a rowid are reported in one warning`() throws {
    let tables = (1...5).map { "CREATE TABLE t\($0)(id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;" }
    try folder.sqlite("keyed.sqlite", tables.joined())
    let lines = try folder.seedbank("init", "keyed.sqlite").output.split(separator: "\n")
      .filter { $0.contains("WITHOUT ROWID") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#"WITHOUT ROWID: "t1", "t2", "t3", "t4", "t5": "#) == true, "\(lines)")
  }

  @Test(arguments: [(19_000_000, false), (21_000_000, true)])
  func `an origin of more than 20 MB is also published in xz`(_ bytes: Int, _ hasXZ: Bool) throws {
    try folder.sqlite(
      "photos.sqlite",
      "CREATE TABLE photo(id INTEGER PRIMARY KEY, b BLOB); INSERT INTO photo VALUES (1, zeroblob(\(bytes)))")
    #expect(try folder.seedbank("init", "photos.sqlite").status == 0)
    #expect(try folder.text("seedbank/photos/dataset.json").contains(#""xz""#) == hasXZ)
  }

  @Test func `init in a folder with other files keeps them`() throws {
    #expect(try folder.seedbank("init", "My Shop.sqlite", "--directory", ".").status == 0)
    #expect(folder.exists("seedbank.json") && folder.exists("my-shop/dataset.json"))
    #expect(folder.exists("My Shop.sqlite"))
    #expect(!folder.files.contains { $0.hasSuffix(".tmp") })
    #expect(try folder.text("my-shop/dataset.json").contains(#""../My Shop.sqlite""#))
  }

  @Test func `an existing name stops init before it writes`() throws {
    let files = folder.files
    try folder.seedbank("init", "My Shop.sqlite", "--directory", "My Shop.sqlite").expect(78)
    #expect(folder.files == files)
    try folder.sqlite("root.json", "CREATE TABLE t(id)")
    #expect(try folder.seedbank("init", "My Shop.sqlite", "--directory", ".").status == 78)
    #expect(folder.files == files + ["root.json"])
  }

  @Test func `unusable origins are rejected, and nothing is written`() throws {
    try folder.sqlite("empty.sqlite", "VACUUM")
    try folder.sqlite("keyless.sqlite", "CREATE TABLE log(rowid, _rowid_, oid)")
    try folder.sqlite("text.sqlite", ".output \(folder("text.txt"))\n.print Not a database, by far not one")
    try Tool.run(["mkfifo", folder("pipe.sqlite")])
    let files = folder.files
    let cases: [(String, Int32, String)] = [
      ("nowhere.sqlite", 69, "There is no origin database at"),
      ("text.txt", 65, "expected a SQLite database, found: file is not a database"),
      ("empty.sqlite", 65, "It has no tables."), ("keyless.sqlite", 65, "Skipped table \"log\""),
      ("pipe.sqlite", 65, "is not a regular file"),
    ]
    for (origin, status, message) in cases {
      let outcome = try folder.seedbank("init", origin, "--directory", "a/b/c")
      #expect(outcome.status == status, "\(origin)")
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      #expect(folder.files == files)
    }
  }

  @Test func `a dry run prints the same report and writes nothing`() throws {
    let files = folder.files
    let outcome = try folder.seedbank(
      "init", "My Shop.sqlite", "--dry-run", "--json", "--directory", "it's here"
    ).expect(0)
    #expect(folder.files == files)
    let report = try JSONValue(parsing: Array(outcome.output.utf8))
    #expect(report["dryRun"]?.bool == true)
    #expect(report["dataset"]?.string == "my-shop")
    #expect(report["written"]?.elements?.count == 8)
    #expect(report["skipped"]?.elements?.isEmpty == true)
    #expect(report["keys"]?.elements?.map { $0["name"]?.string } == ["log"])
    #expect(report["next"]?.string?.hasSuffix(#"/it'\''s here/seedbank.json'"#) == true)
  }

  @Test(arguments: ["Shop", "keys", "", "a_b"])
  func `an invalid dataset name is a usage error`(name: String) throws {
    try folder.seedbank("init", "My Shop.sqlite", "--dataset", name).expect(64)
    #expect(!folder.exists("seedbank"))
  }
}
