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

  @Test func `init makes a deployment that can be read back, and changes no origin`() throws {
    let before = try folder.sqlite("My Shop.sqlite", ".dump")
    let outcome = try folder.seedbank("init", "My Shop.sqlite").expect(
      0,
      output: "models/1.0/schema.sql: 2 tables\n", "models/1.0/log.sql\n",
      "\nNumbered the rows of table \"log\": there is no key\n")
    #expect(outcome.errors.isEmpty && outcome.output.hasSuffix("\nNext: seedbank run\n"))
    // Nothing is skipped, so there is no advice about it.
    #expect(!outcome.output.contains("To publish a skipped part"))
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
    try expectPublication()
  }

  /// Expects the publication's first metadata, and keys that only their owner can read.
  private func expectPublication() throws {
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

  private static let (xz, indexes) = ("snapshots are about half as large", "snapshots omit the indexes")

  @Test(arguments: [
    (19_000_000, "", []), (21_000_000, "", [xz]), (21_000_000, "CREATE INDEX i ON photo(id)", [xz, indexes]),
  ])
  func `init chooses xz and indexes built by clients for an origin of more than 20 MB, and says why`(
    _ bytes: Int, _ index: String, _ reasons: [String]
  ) throws {
    try folder.sqlite(
      "photos.sqlite",
      "CREATE TABLE photo(id INTEGER PRIMARY KEY, b BLOB); INSERT INTO photo VALUES (1, zeroblob(\(bytes)));"
        + index)
    let told = try folder.succeed("init", "photos.sqlite")
    let dataset = try folder.text("seedbank/photos/dataset.json")
    for reason in [Self.xz, Self.indexes] {
      #expect(
        told.contains(reason) == reasons.contains(reason)
          && dataset.contains(reason) == reasons.contains(reason))
    }
    #expect(dataset.contains(#""xz""#) == reasons.contains(Self.xz))
    #expect(dataset.contains(#""indexes": "client""#) == reasons.contains(Self.indexes))
  }

  @Test func `a feed's size is that of its files`() throws {
    let value = String(repeating: "x", count: 1000)
    try folder.write("id,name\n" + (1...21_000).map { "\($0),\(value)\n" }.joined(), to: "feed/item.csv")
    #expect(try folder.succeed("init", "feed", "--dry-run").contains(Self.xz))
  }

  @Test func `init in a folder with other files keeps them, and an existing name stops it`() throws {
    let files = folder.files
    try folder.seedbank("init", "My Shop.sqlite", "--directory", "My Shop.sqlite").expect(78)
    try folder.sqlite("root.json", "CREATE TABLE t(id)")
    try folder.seedbank("init", "My Shop.sqlite", "--directory", ".").expect(78)
    #expect(folder.files == files + ["root.json"])
    try folder.remove("root.json")
    try folder.succeed("init", "My Shop.sqlite", "--directory", ".")
    #expect(folder.exists("seedbank.json") && folder.exists("My Shop.sqlite"))
    #expect(!folder.files.contains { $0.hasSuffix(".tmp") })
    #expect(try folder.text("my-shop/dataset.json").contains(#""../My Shop.sqlite""#))
  }

  @Test func `unusable origins and names are rejected, and nothing is written`() throws {
    try folder.sqlite("empty.sqlite", "VACUUM")
    try folder.sqlite("keyless.sqlite", "CREATE TABLE log(rowid, _rowid_, oid)")
    try folder.write("Not a database, by far not one\n", to: "text.txt")
    try Tool.run(["mkfifo", folder("pipe.sqlite")])
    let files = folder.files
    let origins: [(String, Int32, String)] = [
      ("nowhere.sqlite", 69, "There is no origin database at"),
      ("text.txt", 65, "expected a SQLite database, found: file is not a database"),
      ("empty.sqlite", 65, "It has no tables."), ("keyless.sqlite", 65, "Skipped table \"log\""),
      ("pipe.sqlite", 65, "is not a regular file"),
    ]
    let names = ["Shop", "keys", "", "a_b"].map { ["My Shop.sqlite", "--dataset", $0] }
    let cases = origins.map { ([$0], $1, $2) } + names.map { ($0, 64, "Error: ") }
    for (words, status, message) in cases {
      let outcome = try SeedbankBinary.run(["init", "--directory", "a/b/c"] + words, in: folder.path)
      #expect(outcome.status == status && outcome.errors.contains(message), "\(words): \(outcome)")
      #expect(outcome.output.isEmpty && folder.files == files, "\(words)")
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
}
