import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct ConfigCheckTests {
  private func problems(_ deployment: OperatedDeployment) throws -> [String] {
    let json = try #require(try deployment.json("config", "check").first)
    return (json["findings"]?.elements ?? []).compactMap { $0["problem"]?.string }
  }

  @Test func `config check finds all errors that would stop a publish step`() throws {
    let deployment = try OperatedDeployment()
    let folder = deployment.folder
    try folder.write("SELECT id, name FROM shop", to: "seedbank/my/models/1.0/shop.sql")
    try folder.remove("seedbank/keys/snapshot.key")
    try folder.write("{}", to: "seedbank/keys/series.key")
    try folder.succeed("init", "my.sqlite", "--directory", "other")
    try folder.replace("seedbank/keys/timestamp.key", by: "other/keys/timestamp.key")
    try deployment.seedbank("config", "check").expect(
      78, "4 errors were found, see above", output: "lacks the column \"rank\"",
      "snapshot.key: the key is missing", "is not a key file",
      "does not name this key for the role timestamp")
    let edited = "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);"
    try folder.write(edited, to: "seedbank/my/models/1.0/schema.sql")
    let found = try problems(deployment)
    #expect(found.count == 4, "\(found)")
    #expect(found.contains { $0.contains("differs from the one published in my/1") })
  }

  @Test func `config check finds NULL in keys and texts in columns of numbers, and its advice repairs them`()
    throws
  {
    let folder = try TemporaryFolder(inMemory: true)
    try folder.sqlite(
      "my.sqlite",
      """
      CREATE TABLE use(kind TEXT, code TEXT, name TEXT, PRIMARY KEY (kind, code));
      INSERT INTO use VALUES('a', '1', 'One');
      CREATE TABLE shop(id INTEGER PRIMARY KEY, rank INTEGER, opened DATE);
      INSERT INTO shop SELECT value, value, '2026-01-02' FROM generate_series(1, 500);
      """)
    try folder.succeed("init", "my.sqlite")
    try folder.succeed("regenerate")
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
    try folder.sqlite(
      "my.sqlite",
      "INSERT INTO use VALUES(NULL, '2', 'Two'), (NULL, '2', 'Three'); UPDATE shop SET rank = 'no ' || rank")
    let select = #"SELECT "kind", "code", "name" FROM "use" WHERE "kind" IS NOT NULL AND "code" IS NOT NULL"#
    try folder.seedbank("config", "check").expect(
      78, output: #"table "use": 2 rows have NULL in the key "kind", "code""#, select,
      #"table "shop": the column "rank" holds a string, but clients read it as INTEGER"#,
      "500 rows (id = 1; id = 2; id = 3; …)")
    try folder.seedbank("regenerate").expect(65)
    let model = "seedbank/my/models/1.0"
    try folder.write(select, to: "\(model)/use.sql")
    try folder.write(
      "SELECT id, CAST(substr(rank, 4) AS INTEGER) AS rank, opened FROM shop", to: "\(model)/shop.sql")
    #expect(try folder.succeed("config", "check") == "nothing is wrong\n")
    #expect(try folder.succeed("regenerate").contains("unchanged at version 1"))
  }

  @Test func `config check ends with 0 for warnings, 69 without the origin and 78 without the publication`()
    throws
  {
    let deployment = try OperatedDeployment()
    let sound = try deployment.seedbank("config", "check").expect(0)
    #expect(sound.output == "nothing is wrong\n" && sound.errors.isEmpty)
    let settings = try deployment.folder.text("seedbank/my/dataset.json")
    let lifecycle = #"{"lifecycle": {"9": {"state": "retired"}},"#
    try deployment.folder.write(lifecycle + settings.dropFirst(), to: "seedbank/my/dataset.json")
    try deployment.seedbank("config", "check").expect(
      0, output: "lifecycle.9: there is no model of that major")
    try deployment.folder.write(settings, to: "seedbank/my/dataset.json")

    // An error that several checks find is reported once.
    try deployment.folder.write("", to: "my.sqlite")
    let outcome = try deployment.seedbank("config", "check").expect(69)
    #expect(
      outcome.output
        == "error: my: The origin \(deployment.folder("my.sqlite")) is an empty file: it has no tables yet; put the "
        + "database there, or correct the path\n")
    #expect(outcome.errors == "Error: A publish step would fail: 1 error was found, see above.\n")
    try deployment.folder.remove("my.sqlite")
    try deployment.seedbank("config", "check").expect(69)
    try deployment.folder.remove("seedbank/publication")
    try deployment.seedbank("config", "check").expect(78)
  }

  @Test func `config check and model deprecate warn about a major past its sunset`() throws {
    let deployment = try OperatedDeployment()
    let words = "lifecycle.1: its sunset, 2020-02-29, has passed, but clients still get updates"
    try deployment.seedbank("model", "deprecate", "1", "--sunset", "2020-02-29", "--json").expect(
      0, "Warning: my: \(words)", output: #""warnings":["my: \#(words)"#)
    try deployment.seedbank("config", "check").expect(0, output: "\(words)")
    let later = try deployment.seedbank("model", "deprecate", "1", "--sunset", "9999-12-30")
    #expect(later.status == 0 && later.errors.isEmpty)
    #expect(try deployment.seedbank("config", "check").output == "nothing is wrong\n")
  }

  @Test
  func `config check --sizes prints the sizes of snapshots with all settings, and which ones are configured`()
    throws
  {
    let deployment = try OperatedDeployment(with: "CREATE INDEX shop_by_name ON shop(name);")
    try deployment.origin(
      "INSERT INTO shop SELECT value, 'a shop with number ' || value, value FROM generate_series(100, 3000)")
    try deployment.folder.succeed("regenerate", "--snapshot")
    let text = try deployment.folder.succeed("config", "check", "--sizes")
    #expect(
      text.hasPrefix("nothing is wrong\nmy/1: the snapshot of version 4 with \"indexes\": \"snapshot\" has "))
    #expect(text.contains(" kB in gzip (as configured)\n") && text.hasSuffix(" kB in xz\n"))
    let sizes = try #require(try deployment.json("config", "check", "--sizes").first?["sizes"]?.elements)
    #expect(sizes.map { $0["indexes"]?.string } == ["snapshot", "snapshot", "client", "client"])
    #expect(sizes.map { $0["encoding"]?.string } == ["gzip", "xz", "gzip", "xz"])
    #expect(sizes.map { $0["configured"]?.bool } == [true, false, false, false])
    let bytes = sizes.compactMap { $0["bytes"]?.integer }
    #expect(bytes.count == 4 && bytes[1] < bytes[0] && bytes[3] < bytes[2], "\(bytes)")
    #expect(bytes[2] < bytes[0] && bytes[3] < bytes[1], "\(bytes)")
    let published = try deployment.publication.published().series.values.first?.metadata
    let listed = try #require(published?.newestSnapshot?.length)
    #expect(abs(bytes[0] - listed) < listed / 50, "\(listed) bytes are published")
  }

  @Test(arguments: [("2026-06-30T23:59:59Z", false), ("2026-07-01T00:00:00Z", true)])
  func `a major may be updated until its sunset's last second`(now: String, isOver: Bool) throws {
    let lifecycle = SeedLifecycle.deprecated(sunset: "2026-06-30", message: nil)
    #expect(try (lifecycle.overdue(1, now: #require(UTCTime(now))) != nil) == isOver)
  }
}

@Suite struct ConfigShowTests {
  @Test func `config show names the source of every value`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.write(#"{"http": {"port": 81}, "datasets": ["my"]}"#, to: "seedbank/seedbank.json")
    let outcome = try deployment.seedbank(
      "config", "show", "--json",
      environment: [
        "SEEDBANK_LOG_FORMAT": "json", "SEEDBANK_DATASETS_MY_POLL_SECONDS": "9",
        "SEEDBANK_DATASETS_MY_INDEXES": "snapshot",
      ])
    let values = try #require(try JSONValue(parsing: Array(outcome.output.utf8))["values"]?.elements)
    func source(_ path: String) -> String? { values.first { $0["path"]?.string == path }?["source"]?.string }
    let file = deployment.folder("seedbank/seedbank.json")
    #expect(source("http.port") == file && source("datasets") == file)
    #expect(source("http.host") == "default" && source("log.level") == "default")
    #expect(source("log.format") == "SEEDBANK_LOG_FORMAT")
    #expect(source("datasets.my.pollSeconds") == "SEEDBANK_DATASETS_MY_POLL_SECONDS")
    #expect(source("datasets.my.origin.sqlite") == deployment.folder("seedbank/my/dataset.json"))
    #expect(source("datasets.my.indexes") == "SEEDBANK_DATASETS_MY_INDEXES")
    for path in [
      "http.threads", "http.perAddressLimit", "http.trustedProxies", "http.drainSeconds", "http.graceSeconds",
      "datasets.my.retention.snapshotAgeSeconds",
    ] { #expect(source(path) == "default", "\(path)") }
    let key = try JSONValue(parsing: Array(deployment.folder.text("seedbank/keys/series.key").utf8))
    #expect(!outcome.output.contains(try #require(key["private"]?.string)))
  }
}

@Suite struct LogCommandTests {
  @Test func `commands write the log and the reason for a failure in the requested format`() throws {
    let deployment = try OperatedDeployment()
    try Folder.rename(deployment.folder("my.sqlite"), to: deployment.folder("away.sqlite"))
    let failed = try deployment.seedbank("regenerate", "--log-format", "json").expect(69)
    #expect(try JSONValue(parsing: Array(failed.errors.utf8))["level"]?.string == "error")
    let text = try deployment.seedbank("regenerate").expect(69, " level=error msg=\"There is no origin")
    #expect(text.errors.hasPrefix("time="))
    try Folder.rename(deployment.folder("away.sqlite"), to: deployment.folder("my.sqlite"))

    try Tool.run(["chmod", "644", deployment.folder("seedbank/keys/series.key")])
    let run = try RunningSeedbank(
      ["run", "--port", "0", "--log-level", "notice"], in: deployment.folder.path,
      environment: ["SEEDBANK_LOG_FORMAT": "json"])
    try deployment.origin("UPDATE shop SET rank = 7 WHERE id = 1")
    let published = try eventually("the log has the new version", every: 0.01) {
      run.errors.split(separator: "\n").first { $0.contains("\"version\":4") }
    }
    #expect(run.stop() == 0)
    let line = try JSONValue(parsing: Array(published.utf8))
    #expect(line["level"]?.string == "notice" && line["series"]?.string == "my/1")
    for line in run.errors.split(separator: "\n") { _ = try JSONValue(parsing: Array(line.utf8)) }
    #expect(run.errors.contains("chmod 600"))
    try deployment.seedbank("serve", "--log-format", "xml").expect(
      78, #"--log-format: log.format: expected "text" or "json", found "xml""#)
  }
}
