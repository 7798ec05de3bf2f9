import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// A new minor that begins with a delta.
@Suite struct MinorTests {
  private static let schema = PublisherFixture.schema
  private static let withLine =
    schema + "; CREATE TABLE line(id INTEGER PRIMARY KEY, stop REFERENCES stop(id))"

  private func add(_ newer: String, to deployment: TestDeployment) throws {
    try deployment.use([model("2.0", Self.schema), model("2.1", newer)])
  }

  private func deployment() throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment()
    try deployment.origin(
      "CREATE TABLE line(id, stop); INSERT INTO line VALUES (1, 3), (2, NULL); ALTER TABLE stop ADD COLUMN fee DEFAULT 7; ALTER TABLE stop ADD COLUMN day"
    )
    return deployment
  }

  @Test(arguments: [
    "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone INTEGER)",
    "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, fee NUMERIC NOT NULL DEFAULT (-1.5), zone \"order\")",
    "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone TEXT DEFAULT 'a ''b''' COLLATE NOCASE)",
    withLine, schema + "; CREATE INDEX i ON stop(lower(name)) WHERE id > 1",
    schema + "; CREATE UNIQUE INDEX i ON stop(name)",
    schema + "; CREATE VIEW v AS SELECT name FROM stop",
    schema
      + "; CREATE VIRTUAL TABLE s USING fts5(name, content='stop', content_rowid='id', tokenize='trigram')",
    "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone INTEGER REFERENCES stop(id) ON DELETE CASCADE)",
    "CREATE TABLE line(id INTEGER PRIMARY KEY) STRICT; CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, fee REAL)",
  ])
  func `clients of the older minor get the new one with a delta`(_ newer: String) throws {
    let deployment = try deployment()
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    let old = try deployment.metadata(major: 2)
    try add(newer, to: deployment)
    let report = try deployment.verifiedStep()
    let metadata = try deployment.metadata(major: 2)
    #expect(report.outcome == .changed && report.warnings.isEmpty, "\(report.warnings)")
    #expect(metadata.state.floor == old.state.floor && metadata.state.model == "2.1")
    let first = try #require(metadata.objects.first { $0.schemaBefore != nil })
    #expect(first.schemaBefore == old.state.schema && first.schema == metadata.state.schema)
    #expect(metadata.newestSnapshot?.schema == metadata.state.schema, "new installs need the new minor")
    try deployment.publish("UPDATE stop SET name = 'y' WHERE id = 2")
    #expect(try deployment.names() == ["x", "y", "c"])
  }

  @Test func `the delta of a minor stays listed if only one snapshot does`() throws {
    let deployment = try deployment()
    try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone INTEGER)", to: deployment)
    deployment.job.retainedSnapshots = 1
    try deployment.verifiedStep()
    let metadata = try deployment.metadata(major: 2)
    #expect(metadata.newestSnapshot?.version.number == 2 && metadata.state.floor == .first)
    #expect(metadata.objects.contains { $0.schemaBefore != nil })
    let scratch = deployment.folder("scratch")
    try Folder.create(scratch)
    let report = try PublicationVerifier(
      deployment.publication, scratch: scratch, now: deployment.clock
    ).run()
    #expect(report.isSound && report.deltasByHash == 1, "\(report.findings)")
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    try deployment.verifiedStep(forcingSnapshot: true)
    #expect(try deployment.metadata(major: 2).state.floor.number == 3)
  }

  @Test func `an empty column of many rows is a delta below a kibibyte`() throws {
    let deployment = try deployment()
    try deployment.change(
      "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO stop(id, name) SELECT i, 'n' || i FROM n"
    )
    try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, url TEXT)", to: deployment)
    try deployment.origin("ALTER TABLE stop ADD COLUMN url TEXT")
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .changed && report.changes.values.allSatisfy(\.isEmpty))
    #expect(try #require(report.deltaBytes) < 1024)
  }

  @Test func `the delta lists a new column's values without keys, beside the other changes of that step`()
    throws
  {
    let deployment = try deployment()
    try deployment.change("INSERT INTO stop(id, name) SELECT 3 + value, 'd' FROM json_each('[1, 2, 3, 4]')")
    try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone TEXT)", to: deployment)
    let report = try deployment.change(
      """
      UPDATE stop SET zone = iif(id IN (1, 3, 4, 6), 'z' || id, NULL);
      UPDATE stop SET name = 'y' WHERE id = 3; DELETE FROM stop WHERE id = 2; INSERT INTO stop(id, zone) VALUES (0, 'new')
      """)
    #expect(report.filled == 3)
    try deployment.verify()
    let first = try #require(deployment.metadata(major: 2).objects.first { $0.schemaBefore != nil })
    let document = String(decoding: try deployment.publication.delta(first), as: UTF8.self)
    #expect(
      document.contains(
        #""sets":[["name","zone"]],"fill":["zone"],"filled":["z1",[2],"z4",[1],"z6"],"delete":[[2]],"#
          + #""insert":[[0,null,"new"]],"update":[[0,3,"y","z3"]]"#), "\(document)")
  }

  @Test(arguments: [
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, zone, name TEXT)",
      "the new columns of table \"stop\" are not at its end"
    ),
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, loud AS (upper(name)))",
      "the models differ in more than"
    ),
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone CHECK (zone > 0))",
      "the models differ in more than"
    ),
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone, UNIQUE(id, zone))",
      "the models differ in more than"
    ),
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone REFERENCES stop(id) DEFAULT 1)",
      "\"stop.zone\" is a reference with a default"
    ),
    (
      schema + "; CREATE VIRTUAL TABLE s USING fts5(name, content='stop', content_rowid='id');"
        + " INSERT INTO s(s, rank) VALUES ('pgsz', 1000)", "the search table \"s\" has different settings"
    ),
    (
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, day DEFAULT CURRENT_DATE)",
      "a column with a constant default"
    ),
  ])
  func `a minor that a delta cannot carry is published as a snapshot, with the reason`(
    _ newer: String, _ reason: String
  )
    throws
  {
    let deployment = try deployment()
    try add(newer, to: deployment)
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .created)
    #expect(
      report.warnings.contains { $0.contains("needs a snapshot to get model 2.1") && $0.contains(reason) },
      "\(report.warnings)")
  }

  @Test func `a unique index that the rows of the older version break needs a snapshot`() throws {
    let deployment = try deployment()
    try deployment.change("UPDATE stop SET name = 'same'")
    try add(Self.schema + "; CREATE UNIQUE INDEX i ON stop(name)", to: deployment)
    try deployment.origin("UPDATE stop SET name = 'n' || id")
    #expect(try deployment.verifiedStep().outcome == .created)
    #expect(try deployment.names() == ["n1", "n2", "n3"])
  }

  @Test func `no merged delta leads across the beginning of a minor`() throws {
    let deployment = try deployment()
    for number in 0..<36 {
      if number == 18 {
        try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)", to: deployment)
      }
      try deployment.change("UPDATE stop SET name = 'n\(number)' WHERE id = 1")
    }
    try deployment.verify()
    let metadata = try deployment.metadata(major: 2)
    let first = try #require(metadata.objects.first { $0.schemaBefore != nil }?.version)
    #expect(metadata.objects.newestMinor == first && metadata.state.floor == .first)
    let merged = metadata.objects.compactMap(\.span).filter { $0.length > 1 }
    #expect(merged.contains { $0.to < first } && merged.contains { $0.from >= first })
    #expect(!merged.contains { $0.from < first && first <= $0.to })
  }

  @Test func `rows that were edited in the copy are found before a minor begins`() throws {
    let deployment = try deployment()
    try Connection(deployment.copy(), .writer).execute("UPDATE stop SET name = 'edited' WHERE id = 2")
    try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)", to: deployment)
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .changed && report.repair?.contains("do not match its sum") == true)
    #expect(try deployment.names() == ["a", "b", "c"])
  }

  @Test func `every version across a minor can be recalled`() throws {
    let deployment = try deployment()
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    try add("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)", to: deployment)
    try deployment.verifiedStep()
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    #expect(recall.versions.map(\.number) == [1, 2, 3])
    for (number, columns) in [(2, 2), (3, 3)] {
      let copy = try recall.recall(try SeedVersion(number), to: deployment.folder("recalled.sqlite"))
      #expect(try copy.connection.rows("SELECT * FROM stop WHERE id = 1")[0].count == columns)
    }
  }
}
