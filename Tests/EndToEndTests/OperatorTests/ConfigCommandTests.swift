import Foundation
import SeedDatabase
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

  @Test func `config check finds nothing wrong in a sound deployment`() throws {
    let outcome = try OperatedDeployment().seedbank("config", "check")
    #expect(outcome.status == 0 && outcome.output == "nothing is wrong\n" && outcome.errors.isEmpty)
  }

  @Test func `config check finds all errors that would stop a publish step, and publishes nothing`() throws {
    let deployment = try OperatedDeployment()
    let model = deployment.folder("seedbank/my/models/1.0")
    try DurableFile.write(Array("SELECT id, name FROM shop".utf8), to: "\(model)/shop.sql")
    try Tool.run(["rm", deployment.folder("seedbank/keys/snapshot.key")])
    try deployment.folder.write("{}", to: "seedbank/keys/series.key")
    try deployment.seedbank("config", "check").expect(
      78, "3 errors were found, see above", output: "lacks the column rank",
      "snapshot.key: the key is missing", "is not a key file")
    #expect(try problems(deployment).count == 3)
  }

  @Test func `config check finds an edited model and a key of another publication`() throws {
    let deployment = try OperatedDeployment()
    try deployment.folder.write(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);", to: "seedbank/my/models/1.0/schema.sql")
    let other = try OperatedDeployment(isCopied: false)
    try Tool.run([
      "cp", other.folder("seedbank/keys/timestamp.key"), deployment.folder("seedbank/keys/timestamp.key"),
    ])
    let found = try problems(deployment)
    #expect(found.count == 2, "\(found)")
    #expect(found.contains { $0.contains("differs from the one published in my/1") })
    #expect(found.contains { $0.contains("does not name this key for the role timestamp") })
  }

  @Test func `config check finds rows with NULL in their key, and its advice repairs them`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try folder.sqlite(
      "my.sqlite",
      """
      CREATE TABLE use(kind TEXT, code TEXT, name TEXT, PRIMARY KEY (kind, code));
      INSERT INTO use VALUES('a', '1', 'One');
      """)
    #expect(try folder.seedbank("init", "my.sqlite").status == 0)
    #expect(try folder.seedbank("config", "check").output == "nothing is wrong\n")
    try folder.sqlite("my.sqlite", "INSERT INTO use VALUES(NULL, '2', 'Two'), (NULL, '2', 'Three')")
    let found = try folder.seedbank("config", "check")
    #expect(found.status == 65 || found.status == 78)
    let select = #"SELECT "kind", "code", "name" FROM "use" WHERE "kind" IS NOT NULL AND "code" IS NOT NULL"#
    #expect(
      found.output.contains(#"table "use": 2 rows have NULL in the key "kind", "code""#), "\(found.output)")
    #expect(found.output.contains(select))
    let model = folder("seedbank/my/models/1.0")
    try DurableFile.write(Array(select.utf8), to: "\(model)/use.sql")
    #expect(try folder.seedbank("config", "check").output == "nothing is wrong\n")
    #expect(try folder.seedbank("regenerate").output.contains("1 row"))
  }

  @Test
  func `config check finds texts in a column of numbers, and a cast in the SELECT repairs them`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try folder.sqlite(
      "my.sqlite",
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, rank INTEGER, opened DATE);
      INSERT INTO shop SELECT value, value, '2026-01-02' FROM generate_series(1, 5000);
      """)
    #expect(try folder.seedbank("init", "my.sqlite").status == 0)
    #expect(try folder.seedbank("config", "check").output == "nothing is wrong\n")
    #expect(try folder.seedbank("regenerate").status == 0)
    try folder.sqlite("my.sqlite", "UPDATE shop SET rank = 'no ' || rank")
    let words = [
      #"table "shop": the column "rank" holds a text, but clients read it as INTEGER"#,
      "5000 rows (id = 1; id = 2; id = 3; …)",
    ]
    let found = try folder.seedbank("config", "check")
    #expect(found.status == 78 && words.allSatisfy { found.output.contains($0) }, "\(found.output)")
    #expect(try folder.seedbank("regenerate").status == 65)
    try DurableFile.write(
      Array("SELECT id, CAST(substr(rank, 4) AS INTEGER) AS rank, opened FROM shop".utf8),
      to: folder("seedbank/my/models/1.0/shop.sql"))
    #expect(try folder.seedbank("config", "check").output == "nothing is wrong\n")
    #expect(try folder.seedbank("regenerate").output.contains("unchanged at version 1"))
  }

  @Test func `settings without effect cause a warning`() throws {
    let deployment = try OperatedDeployment()
    let dataset = deployment.folder("seedbank/my/dataset.json")
    let lifecycle = #"{"lifecycle": {"9": {"state": "retired"}},"#
    try Tool.run(["sed", "-i", "1s/{/\(lifecycle)/", dataset])
    try deployment.seedbank("config", "check").expect(
      0, output: "lifecycle.9: there is no model of that major")
  }

  @Test func `an error that several checks find is reported once`() throws {
    let deployment = try OperatedDeployment()
    let origin = deployment.folder("my.sqlite")
    try Data().write(to: URL(fileURLWithPath: origin))
    let outcome = try deployment.seedbank("config", "check").expect(69)
    #expect(
      outcome.output
        == "error: my: The origin \(origin) is an empty file: it has no tables yet; put the database there, or "
        + "correct the path\n")
    #expect(outcome.errors == "Error: A publish step would reject this: 1 error was found, see above.\n")
  }

  @Test func `config check and model deprecate warn about a major past its sunset`() throws {
    let deployment = try OperatedDeployment()
    let words = "lifecycle.1: its sunset, 2020-02-29, has passed, and clients still get updates"
    try deployment.seedbank("model", "deprecate", "1", "--sunset", "2020-02-29").expect(
      0, "Warning: my: \(words)")
    try deployment.seedbank("config", "check").expect(0, output: "\(words)")
    let later = try deployment.seedbank("model", "deprecate", "1", "--sunset", "9999-12-30")
    #expect(later.status == 0 && later.errors.isEmpty)
    #expect(try deployment.seedbank("config", "check").output == "nothing is wrong\n")
  }

  @Test(arguments: [("2026-06-30T23:59:59Z", false), ("2026-07-01T00:00:00Z", true)])
  func `a major may be updated until its sunset's last second`(now: String, isOver: Bool) throws {
    let lifecycle = SeedLifecycle.deprecated(sunset: "2026-06-30", message: nil)
    #expect(try (lifecycle.overdue(1, now: #require(UTCTime(now))) != nil) == isOver)
  }

  @Test func `config check ends with 69 without the origin and with 78 without the publication`() throws {
    let deployment = try OperatedDeployment()
    try Tool.run(["mv", deployment.folder("my.sqlite"), deployment.folder("away.sqlite")])
    #expect(try deployment.seedbank("config", "check").status == 69)
    try Folder.removeAll(deployment.publication.path)
    #expect(try deployment.seedbank("config", "check").status == 78)
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
    let key = try deployment.folder.text("seedbank/keys/series.key")
    let secret = try #require(try JSONValue(parsing: Array(key.utf8))["private"]?.string)
    #expect(!outcome.output.contains(secret))
  }
}

@Suite struct LogCommandTests {
  @Test func `run and serve write the log in the requested format`() throws {
    let deployment = try OperatedDeployment()
    try Tool.run(["chmod", "644", deployment.folder("seedbank/keys/series.key")])
    let run = try RunningSeedbank(
      ["run", "--port", "0", "--log-level", "notice"], in: deployment.folder.path,
      environment: ["SEEDBANK_LOG_FORMAT": "json"])
    try deployment.origin("UPDATE shop SET rank = 7 WHERE id = 1")
    let published = try eventually("the log tells the new version", within: 60) {
      run.errors.split(separator: "\n").first { $0.contains("\"version\":4") }
    }
    #expect(run.stop() == 0)
    let line = try JSONValue(parsing: Array(published.utf8))
    #expect(line["level"]?.string == "notice" && line["series"]?.string == "my/1")
    for line in run.errors.split(separator: "\n") { _ = try JSONValue(parsing: Array(line.utf8)) }
    #expect(run.errors.contains("chmod 600"))
    let wrong = try deployment.seedbank("serve", "--log-format", "xml")
    let sentence = #"--log-format: log.format: expected "text" or "json", found "xml""#
    #expect(wrong.status == 78 && wrong.errors.contains(sentence), "\(wrong.errors)")
  }

  @Test func `the log contains the reason for a failure`() throws {
    let deployment = try OperatedDeployment()
    try Tool.run(["rm", deployment.folder("my.sqlite")])
    let outcome = try deployment.seedbank("regenerate", "--log-format", "json")
    let line = try JSONValue(parsing: Array(outcome.errors.utf8))
    #expect(outcome.status == 69 && line["level"]?.string == "error")
    let text = try deployment.seedbank("regenerate")
    #expect(text.errors.hasPrefix("time=") && text.errors.contains(" level=error msg=\"There is no origin"))
  }
}
