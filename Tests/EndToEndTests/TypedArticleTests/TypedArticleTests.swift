import Foundation
import Support
import Testing

@Suite struct TypedArticleTests {
  /// Articles that other suites run.
  private static let elsewhere = [
    "KeysAndRecovery": "ProcedureTests", "Hosting": "HostingTests", "Fronts": "FrontsTests",
    "Backup": "BackupTests", "AccessByToken": "AccessTests", "Monitoring": "MonitoringTests",
    "Installing": "PackageLifeTests",
    "PostgreSQL": "PostgresCommandTests", "PostgresReplica": "PostgresCommandTests",
    "MovingToPostgreSQL": "PostgresCommandTests",
  ]
  private static let here = [
    "TenMinutes", "Operating", "Upgrading", "SecondDataset", "SchemaChanges", "Feeds", "Followers", "Mirrors",
    "Timers",
  ]

  @Test func `every article with commands is run by a test`() throws {
    let commanding = try OperatorArticle.all().filter { try !OperatorArticle($0).typed.isEmpty }
    #expect(Set(commanding) == Set(Self.here + Self.elsewhere.keys))
  }

  @Test func `the article TenMinutes leads from a file to served seeds`() throws {
    let article = try TypedArticle("TenMinutes")
    try article.typeUntil("The device follows")
    try article.untilHead(2, of: "my")
    try article.typeRest()
    for file in ["SeedModels.swift", "Seeds", "seedbank/root.json"] {
      #expect(article.folder.exists(file))
    }
  }

  @Test(.full) func `the article Operating takes back a bad import`() throws {
    let article = try TypedArticle("Operating")
    // The article mentions version 42 and the one before.
    try article.type(
      """
      sqlite3 my.sqlite "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'v1')"
      seedbank init my.sqlite && seedbank regenerate
      for v in $(seq 2 42); do
        sqlite3 my.sqlite "UPDATE shop SET name = 'v$v'" && seedbank regenerate
      done
      """)
    try article.typeRest()
  }

  @Test func `the article SecondDataset adds a dataset and removes it`() throws {
    try TypedArticle("SecondDataset").typeRest()
  }

  @Test(.full) func `the article Feeds publishes an archive and a command's output`() throws {
    try TypedArticle("Feeds").typeRest()
  }

  @Test func `the article Followers runs as written`() throws {
    try TypedArticle("Followers").typeRest()
  }

  @Test func `the article Mirrors fills a mirror, and a client reads it`() throws {
    try TypedArticle("Mirrors").typeRest()
  }

  @Test func `the article Timers runs as written, and matches the systemd timer`() throws {
    let article = try TypedArticle("Timers")
    try article.typeRest()
    // Runs the crontab's command, and compares the override with the unit's comment.
    let line = try article.article.file("cron").split(separator: " ", maxSplits: 5)
    #expect(line.prefix(5) == ["*/5", "*", "*", "*", "*"])
    #expect(try article.type(String(line[5])).isEmpty)
    let timer = "\(Readme.package)/Config/systemd/seedbank-regenerate.timer"
    let comment = try String(contentsOfFile: timer, encoding: .utf8).split(separator: "\n").map {
      $0.drop { $0 == "#" || $0 == " " }
    }
    let override = try article.article.file("ini").split(separator: "\n")
    #expect(comment.contains(override))
  }

  @Test(.full) func `the article SchemaChanges adds a column, starts a new major and retires the first`()
    throws
  {
    let article = try TypedArticle("SchemaChanges")
    try article.typeUntil("A column of the origin is renamed")
    try article.untilHead(2, of: "my")
    #expect(try seed("new", "SELECT name, phone FROM shop", article) == "Tea|12 34\n")
    try article.typeRest()
    #expect(try seed("old", "SELECT name FROM shop", article) == "Green tea\n")
    #expect(try seed("newest", "SELECT title FROM shop", article) == "Green tea\n")
  }

  private func seed(_ store: String, _ sql: String, _ article: TypedArticle) throws -> String {
    try article.type("sqlite3 $(ls -td \(store)/generations/*/seed.sqlite | head -1) '\(sql)'")
  }

  @Test(.full) func `the article Upgrading replaces the program, and a device keeps updating`() throws {
    let article = try TypedArticle("Upgrading")
    try article.typeUntil("The change")
    article.closeTerminals()
    try article.typeUntil("The device continues")
    try article.untilHead(2, of: "my")
    try article.typeUntil("Rebuild the working copies")
    article.closeTerminals()
    try article.typeRest()
  }

  /// Tests cannot start containers, so the article is compared with the compose file.
  @Test func `the article for Macs agrees with the compose file`() throws {
    let article = try OperatorArticle("MacDevelopers")
    let compose = try String(contentsOfFile: "\(Readme.package)/docker/compose.yaml", encoding: .utf8)
    let lines = try article.file("console").split(separator: "\n").dropFirst()
    for line in lines { #expect(compose.contains(line), "\(line)") }
    for (said, found) in [
      ("`10001` publishes", #"user: "10001:10001""#),
      ("`10002` serves", #"user: "10002:10002""#),
      ("`./data/my`", "./data/my:/data/my:ro"), ("`127.0.0.1:8080`", "127.0.0.1:8080:8080"),
      ("every 30 seconds", "sleep 30"), (#""127.0.0.1:8080:8080""#, #"ports: ["127.0.0.1:8080:8080"]"#),
      ("`data/my.sqlite`", "cp my.sqlite data"), ("chown -R 10001:10001 data", "chown -R 10001:10001 data"),
    ] { #expect(article.text.contains(said) && compose.contains(found), "\(said), \(found)") }
  }

  @Test(arguments: [
    ("a b", "a b\n", true), ("a b", "a\n  b", true), ("a b", "a b c", false), ("a … c", "a b b c", true),
    ("… c", "a c", true), ("a …", "b a", false), ("a … b … c", "a b c", true), ("… b …", "b", true),
    ("a … b … c", "a c", false),
  ])
  func `an output is compared with the one in the article`(_ shown: String, _ output: String, _ isSame: Bool)
  {
    #expect(Shown(shown).matches(output) == isSame)
  }
}
