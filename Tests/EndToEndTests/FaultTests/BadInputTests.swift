import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

/// Bad input has its own exit code and message, leaves the publication unchanged, and has no effect once repaired.
@Suite struct BadInputTests {
  private static let regenerate = ["regenerate", "--config", "seedbank/seedbank.json"]

  struct Accident: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int32
    let words: String
    /// A shell script that damages a copy of the deployment.
    let script: String

    var testDescription: String { name }
  }

  static let accidents = [
    Accident(
      name: "the origin lost its pages", status: 65, words: "restore it from a backup",
      script: "truncate -s 4096 my.sqlite"),
    Accident(
      name: "a table was emptied", status: 65, words: "table \"shop\" would go from 300 to 0 rows",
      script: "sqlite3 my.sqlite 'DELETE FROM shop'"),
    Accident(
      name: "rows break the schema", status: 65, words: "2 rows (id = 3; id = 4)",
      script:
        "sqlite3 my.sqlite \"UPDATE shop SET rank = 11 WHERE id IN (3, 4)\""
    ),
    Accident(
      name: "a text is not UTF-8", status: 65,
      words:
        "column \"name\" holds text that is not valid utf-8, which json cannot carry, 2 rows (id = 7; id = 9)",
      script: "sqlite3 my.sqlite \"UPDATE shop SET name = CAST(x'ff' AS TEXT) WHERE id IN (7, 9)\""),
    Accident(
      name: "keys are NULL", status: 65, words: "NULL in the key column \"id\", 2 rows",
      script: """
        echo 'SELECT CASE WHEN id < 3 THEN NULL ELSE id END AS id, name, rank FROM shop' \
          > seedbank/my/models/1.0/shop.sql
        """),
    Accident(
      name: "the publication lost a file", status: 65, words: "restore the publication from a backup",
      script: "mv seedbank/publication/metadata/timestamp.json seedbank/publication/timestamp.json"),
    Accident(
      name: "the schema is not SQL", status: 78, words: "models/1.0/schema.sql:",
      script: "echo 'CREATE TABLE x(;' >> seedbank/my/models/1.0/schema.sql"),
    Accident(
      name: "a SELECT is not SQL", status: 78, words: "models/1.0/shop.sql:2:",
      script: "printf 'SELECT id,\\n name,, rank FROM shop' > seedbank/my/models/1.0/shop.sql"),
    Accident(
      name: "a SELECT has a column too many", status: 78, words: "surplus column \"extra\"",
      script: "echo 'SELECT *, 1 AS extra FROM shop' > seedbank/my/models/1.0/shop.sql"),
    Accident(
      name: "the series key is another deployment's", status: 78,
      words: "expects a different key for the role series",
      script: """
        sqlite3 my.sqlite 'UPDATE shop SET rank = 5 WHERE id = 5'
        cp other/seedbank/keys/series.key seedbank/keys/series.key
        """),
    Accident(
      name: "a new dataset comes without the targets key", status: 78, words: "seedbank keys renew targets",
      script: """
        cp -r seedbank/my seedbank/other && rm seedbank/keys/targets.key
        sed -i 's/"datasets": \\["my"/&, "other"/' seedbank/seedbank.json
        """),
    Accident(
      name: "a schema changed under its minor", status: 78, words: "give the change a new minor",
      script: "sed -i 's/\"name\" TEXT/&, more TEXT/' seedbank/my/models/1.0/schema.sql"),
    Accident(
      name: "a minor went", status: 78, words: "restore it",
      script: "mv seedbank/my/models/1.0 seedbank/my/models/1.1"),
    Accident(
      name: "a table has no key", status: 78, words: "has no key",
      script: "echo '; CREATE TABLE keyless(a)' >> seedbank/my/models/1.0/schema.sql"),
    Accident(
      name: "the publication was lost", status: 65, words: "there is no publication",
      script: "rm -r seedbank/publication"),
    Accident(
      name: "the publication came from an old backup", status: 65, words: "ahead of the publication",
      script: "rm -r seedbank/publication && cp -a old/publication seedbank/publication"),
    Accident(
      name: "the publication is another deployment's", status: 65, words: "is not a root of this publication",
      script: "rm -r seedbank/publication && cp -a other/seedbank/publication seedbank/publication"),
  ]

  /// Makes a deployment at version 1.
  private static func found(_ directory: String) throws {
    try Tool.sqlite(
      "\(directory)/my.sqlite",
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, rank INTEGER);
      INSERT INTO shop SELECT value, 'shop ' || value, 1 FROM generate_series(1, 300);
      """)
    try SeedbankBinary.succeed(["init", "my.sqlite"], in: directory)
    try Tool.run(
      ["sed", "-i", "s/\"rank\" INTEGER/& CHECK (rank < 10)/", "seedbank/my/models/1.0/schema.sql"],
      in: directory)
    try SeedbankBinary.succeed(regenerate, in: directory)
  }

  /// A deployment at version 2, a copy of its version 1, and another deployment of the same name.
  private static func scene() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    try template.fill(folder) {
      try found(folder.path)
      try folder.makeFolder("other")
      try found(folder("other"))
      try Tool.run(["cp", "-a", folder("seedbank"), folder("old")])
      try Tool.sqlite(folder("my.sqlite"), "UPDATE shop SET rank = 2 WHERE id = 1")
      try SeedbankBinary.succeed(regenerate, in: folder.path)
    }
    return folder
  }

  private static let template = FolderTemplate()

  @Test(arguments: accidents)
  func `bad input is reported and changes nothing, and the next good run publishes`(
    _ accident: Accident
  ) throws {
    let folder = try Self.scene()
    try Tool.run(["sh", "-c", "mkdir good && cp -a seedbank my.sqlite good"], in: folder.path)
    try Tool.run(["sh", "-ec", accident.script], in: folder.path)
    let before = try publishedMetadata(folder)
    for dryRun in [["--dry-run"], []] {
      let outcome = try SeedbankBinary.run(Self.regenerate + dryRun, in: folder.path)
      #expect(outcome.status == accident.status, "\(outcome.errors)")
      // The log quotes the message as one value.
      let words = outcome.errors.lowercased().replacing("\\\"", with: "\"")
      #expect(words.contains(accident.words.lowercased()), "\(outcome.errors)")
    }
    #expect(try publishedMetadata(folder) == before)
    try Tool.run(["sh", "-ec", "rm -rf seedbank my.sqlite && cp -a good/. ."], in: folder.path)
    try Tool.sqlite(folder("my.sqlite"), "UPDATE shop SET rank = 3 WHERE id = 2")
    #expect(
      try SeedbankBinary.succeed(Self.regenerate, in: folder.path).contains(
        "version 3, 0 inserted, 1 updated"))
    let probe = PublicationProbe(publication: PublicationDirectory(folder("seedbank/publication")))
    #expect(try probe.head(try SeedSeries("my", major: 1))?.version == 3)
  }

  @Test func `an accepted shrink is published, and a preview shows it first`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Self.found(folder.path)
    try Tool.sqlite(folder("my.sqlite"), "DELETE FROM shop WHERE id > 50")
    let accept = Self.regenerate + ["--accept-shrink"]
    let preview = try SeedbankBinary.succeed(accept + ["--dry-run", "--json"], in: folder.path)
    #expect(preview.contains(#""shop":{"rows":50,"inserted":0,"updated":0,"deleted":250}"#), "\(preview)")
    #expect(try SeedbankBinary.succeed(accept, in: folder.path).contains("version 2"))
    #expect(try SeedbankBinary.succeed(Self.regenerate, in: folder.path).contains("unchanged at version 2"))
  }

  private func publishedMetadata(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
    let path = folder("seedbank/publication/metadata")
    return try Dictionary(
      uniqueKeysWithValues: Folder.names(in: path).map {
        ($0, try DurableFile.read("\(path)/\($0)", limit: 1 << 24))
      })
  }
}
