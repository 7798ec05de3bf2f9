import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// An attacker with the online keys signs snapshots that contain SQL. On the operator's machine it must not run.
@Suite struct HostileSnapshotTests {
  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
  private static let slow = "hex(zeroblob(900000000))"
  private static let notes = "FILE"

  /// Index definitions that a snapshot leaves to its client.
  static let indexes = [
    "ATTACH DATABASE 'FILE' AS v", "CREATE INDEX names ON stop(name); ATTACH DATABASE 'FILE' AS v",
    "VACUUM INTO 'FILE-2'", "DELETE FROM stop", "PRAGMA writable_schema = ON", endless,
    "CREATE TRIGGER names AFTER INSERT ON stop BEGIN DELETE FROM stop; END",
    "CREATE INDEX names ON stop(\(slow))",
    "CREATE VIEW names AS \(endless)", "REINDEX",
  ]

  /// Other places of a file that can hold SQL.
  static let files = [
    "ALTER TABLE seedbank_meta RENAME TO mine; CREATE VIEW seedbank_meta AS \(endless)",
    "ALTER TABLE seedbank_table RENAME TO mine; CREATE VIEW seedbank_table AS \(endless)",
    "CREATE VIEW seedbank_index AS \(endless)",
    "CREATE TABLE seedbank_index(position, name, sql AS (\(slow)))",
    "ALTER TABLE stop RENAME TO mine; CREATE VIEW stop AS \(endless)", "CREATE VIEW more AS \(endless)",
    "CREATE TRIGGER more AFTER INSERT ON stop BEGIN DELETE FROM stop; END",
    "CREATE TRIGGER more AFTER UPDATE ON seedbank_meta BEGIN DELETE FROM stop; END",
    "ALTER TABLE stop ADD COLUMN more AS (\(slow))",
    "CREATE TABLE more(id INTEGER PRIMARY KEY, x DEFAULT (\(slow)))",
    "CREATE TABLE more(id INTEGER PRIMARY KEY CHECK (\(slow) > 1)); INSERT INTO stop VALUES (9, 'x')",
    "CREATE VIRTUAL TABLE more USING fts5(name, content=stop, content_rowid=id)",
    "CREATE VIRTUAL TABLE more USING fts5(name); INSERT INTO more VALUES ('x')",
    "CREATE VIRTUAL TABLE more USING rtree(id, a, b)", "CREATE VIRTUAL TABLE more USING dbstat",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '\(String(repeating: "9 ", count: 1000))'",
    "ANALYZE; INSERT INTO sqlite_stat1 VALUES ('stop', 'x'' ; DELETE FROM stop', '1')",
    "CREATE INDEX more ON stop(name) WHERE name > 'x'", "CREATE UNIQUE INDEX more ON stop(lower(name))",
    "CREATE TABLE more(id INTEGER PRIMARY KEY, FOREIGN KEY(id) REFERENCES stop(id) ON DELETE CASCADE)",
  ]

  @Test(arguments: indexes.indices) func `an index definition cannot change another file`(_ number: Int)
    throws
  {
    try expectNoEffect { seed, file in
      try seed.execute("CREATE INDEX names ON stop(name); ANALYZE")
      try OmittedIndexes.omit(from: seed)
      let sql = Self.indexes[number].replacing(Self.notes, with: file)
      try seed.execute("UPDATE seedbank_index SET sql = ?", .text(sql))
    }
  }

  @Test(arguments: files.indices) func `other SQL in a snapshot cannot change another file`(_ number: Int)
    throws
  {
    try expectNoEffect { seed, _ in try seed.execute(Self.files[number]) }
  }

  /// The signed metadata matches the forged file.
  private func expectNoEffect(_ forge: (Connection, String) throws -> Void) throws {
    let deployment = try PublisherFixture.deployment()
    let notes = deployment.folder("notes.sqlite")
    try Connection(notes, .creator).execute("CREATE TABLE note(text); INSERT INTO note VALUES ('mine')")
    let old = try #require(try deployment.metadata(major: 2).newestSnapshot)
    let path = try deployment.expand(old, to: "forged.sqlite")
    let seed = try Connection(path, .creator)
    try forge(seed, notes)
    try deployment.sign(replacing: old, by: forged(seed, path, old))
    let before = try [notes, deployment.originPath].map { try bytes($0) }
    let names = try Folder.names(in: deployment.folder.path)

    let report = try verification(deployment)
    #expect(report.isSound == false || report.snapshots == 1)
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    _ = try? recall.recall(old.version, to: deployment.folder("recalled"))
    try Folder.remove(deployment.copy())
    _ = try? deployment.step()

    #expect(try [notes, deployment.originPath].map { try bytes($0) } == before)
    let new = Set(try Folder.names(in: deployment.folder.path)).subtracting(names)
    #expect(new.isSubset(of: ["scratch", "recalled"]), "\(new)")
  }

  private func forged(
    _ seed: Connection, _ path: String, _ old: PublishedObject
  ) throws -> (PublishedObject, [UInt8]) {
    let schema = (try? SchemaReader(seed).schema().hash) ?? old.schema
    // Fails if the forgery removed the table.
    try? seed.execute("UPDATE seedbank_meta SET value = ? WHERE key = 'schema'", .text(schema.hex))
    let packed = path + ".gz"
    let (raw, stored) = try Compression.compress(path, to: packed, .gzip)
    let object = PublishedObject(
      series: old.series, kind: old.kind, length: stored.length, sha256: stored.sha256, model: old.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: schema, digest: old.digest)
    return (object, try bytes(packed))
  }

  private func verification(_ deployment: TestDeployment) throws -> VerificationReport {
    let scratch = deployment.folder("scratch")
    try Folder.create(scratch)
    return try PublicationVerifier(
      deployment.publication, scratch: scratch, now: deployment.clock
    ).run()
  }

  private func bytes(_ path: String) throws -> [UInt8] { try DurableFile.read(path, limit: 1 << 20) }
}

extension TestDeployment {
  /// Adds an object and signs the series again, as an attacker with the keys could.
  func sign(replacing old: PublishedObject?, by new: (object: PublishedObject, bytes: [UInt8])) throws {
    try DurableFile.write(new.bytes, to: publication.file(new.object))
    let metadata = try metadata(major: 2)
    let objects = metadata.objects.filter { $0 != old } + [new.object]
    var state = metadata.state
    state.models[new.object.model] = new.object.schema
    let step = try RepositorySigner(now: clock).publish(
      [SeriesMetadata(series: metadata.series, state: state, objects: objects)],
      after: try publication.published(), keys: keys)
    try publication.write(step.files)
  }
}
