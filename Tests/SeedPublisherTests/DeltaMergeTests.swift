import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Merged deltas must reach the same state as single steps, wherever a client enters them.
@Suite struct DeltaMergeTests {
  @Test(.full) func `a long history is merged over two levels`() throws {
    let deployment = try PublisherFixture.deployment()
    deployment.job.snapshotSchedule = .every(seconds: .max)
    for number in 2...272 {
      try deployment.origin(
        "INSERT OR REPLACE INTO stop(rowid, id, name) VALUES (\(number % 7 + 1), \(number % 7 + 1), 'v\(number)')"
      )
      _ = try deployment.step()
    }
    let metadata = try deployment.metadata(major: 2)
    let spans = metadata.objects.compactMap(\.span)
    #expect(metadata.state.head.number == 272 && spans.count <= 34)
    #expect(spans.contains { $0.from.number == 1 && $0.to.number == 256 })
    let chain = try #require(DeltaChain.shortest(metadata.objects, from: .first, to: metadata.state.head))
    #expect(chain.count <= 2)
    try deployment.verify()
  }

  // MARK: Examples

  private static let schema = "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, v)"

  /// Publishes sixteen versions, the last ones with the given changes, and returns the merged delta's text.
  private static func merged(_ changes: [String]) throws -> String {
    let deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
    deployment.job.snapshotSchedule = .every(seconds: .max)
    try deployment.origin("\(schema); INSERT INTO t VALUES ('a', 1), ('filler', 0)")
    _ = try deployment.step()
    for number in 0..<15 - changes.count { try fill(deployment, number) }
    for change in changes {
      try deployment.origin(change)
      _ = try deployment.step()
    }
    let metadata = try deployment.metadata()
    let object = try #require(metadata.objects.first { $0.span?.length == 15 })
    return String(decoding: try deployment.publication.delta(object), as: UTF8.self)
  }

  private static func fill(_ deployment: TestDeployment, _ number: Int) throws {
    try deployment.origin("UPDATE t SET v = \(number + 1) WHERE k = 'filler'")
    _ = try deployment.step()
  }

  private static func changes(_ text: String) -> String {
    String(text[(text.range(of: #""delete""#)?.lowerBound ?? text.startIndex)...])
  }

  @Test func `a merged delta deletes a row that was inserted and deleted within it`() throws {
    let text = try Self.merged(["INSERT INTO t VALUES ('new', 2)", "DELETE FROM t WHERE k = 'new'"])
    #expect(Self.changes(text).contains(#""delete":[["new"]],"insert":[],"update":[[0,"filler""#))
  }

  @Test func `a merged delta has a deleted and reinserted row once in its final state`() throws {
    let text = try Self.merged([
      "DELETE FROM t WHERE k = 'a'", "INSERT INTO t VALUES ('a', 2)", "UPDATE t SET v = 3 WHERE k = 'a'",
    ])
    #expect(Self.changes(text).hasPrefix(#""delete":[],"insert":[["a",3]],"update":[[0,"filler""#))
  }

  @Test func `keys that are equal under their collation merge as one key`() throws {
    let text = try Self.merged(["UPDATE t SET k = 'A' WHERE k = 'a'", "DELETE FROM t WHERE k = 'A'"])
    #expect(Self.changes(text).hasPrefix(#""delete":[["A"]],"insert":[],"update":[[0,"filler""#))
  }

  private static let wide = "CREATE TABLE t(k INTEGER PRIMARY KEY, a, b, c)"

  /// Merges deltas of one table and returns the text behind its columns.
  private static func merged(
    _ deltas: [(inout DeltaWriter) -> Void], _ copy: Connection? = nil, mostSets: Int = SeriesDiff.mostSets
  ) throws -> String {
    let schema = try SchemaReader.schema(of: wide)
    func header(_ from: Int) throws -> DeltaHeader {
      DeltaHeader(
        series: try SeedSeries("t", major: 1), model: "1.0", schema: schema.hash, from: try SeedVersion(from),
        to: try SeedVersion(from + 1), digest: .of([]))
    }
    let documents = try deltas.enumerated().map { index, delta in
      var writer = DeltaWriter()
      writer.begin(table: "t", key: ["k"], columns: ["k", "a", "b", "c"])
      delta(&writer)
      let document = writer.document(try header(index + 1))
      return { DocumentPieces.of(document) } as DeltaMerge.Document
    }
    var merged = DeltaWriter()
    let merge = DeltaMerge(schema: schema, copy: copy, mostSets: mostSets)
    let end = try merge.run(documents, from: .first, into: &merged)
    let text = String(decoding: merged.document(end), as: UTF8.self)
    return String(text[(text.range(of: #""sets""#)?.lowerBound ?? text.startIndex)...])
  }

  @Test func `two updates of a row merge into the columns of both, with the later values`() throws {
    let text = try Self.merged([
      { $0.update([1], [1, 1], at: [1, 2]) }, { $0.update([1], [2, .null], at: [2, 3]) },
    ])
    #expect(text.hasPrefix(#""sets":[["a","b","c"]],"delete":[],"insert":[],"update":[[0,1,1,2,null]]"#))
  }

  @Test func `an update after an insert merges into the whole row`() throws {
    let text = try Self.merged([{ $0.insert([1, 1, 1, 1]) }, { $0.update([1], [2], at: [2]) }])
    #expect(text.hasPrefix(#""sets":[],"delete":[],"insert":[[1,1,2,1]],"update":[]"#))
  }

  @Test func `rows beyond the largest number of column sets are whole, or the deltas are not merged`() throws
  {
    let copy = try Connection("rows", .scratch)
    try copy.execute("\(Self.wide); INSERT INTO t VALUES (1, 1, 0, 0), (2, 8, 2, 9)")
    let deltas: [(inout DeltaWriter) -> Void] = [
      {
        $0.update([1], [0], at: [1])
        $0.update([2], [2], at: [2])
      }, { $0.update([1], [1], at: [1]) },
    ]
    let text = try Self.merged(deltas, copy, mostSets: 1)
    #expect(text.hasPrefix(#""sets":[["a"]],"delete":[],"insert":[[2,8,2,9]],"update":[[0,1,1]]"#))
    #expect(throws: DeltaMerge.TooManySets.self) { try Self.merged(deltas, mostSets: 1) }
  }

  @Test func `an update of a row that an earlier delta deleted cannot be merged`() throws {
    #expect(throws: ImportError.missingRow(table: "t", key: "k = 1")) {
      try Self.merged([{ $0.delete([1]) }, { $0.update([1], [2], at: [2]) }])
    }
  }

  @Test func `merging the same deltas gives the same bytes`() throws {
    let changes = ["INSERT INTO t VALUES ('new', x'00ff')", "UPDATE t SET v = 0.5"]
    let first = try Self.merged(changes)
    #expect(try Self.merged(changes) == first)
  }

  // MARK: Accidents

  @Test func `a corrupt delta is reported and not merged, and the step succeeds`() throws {
    let deployment = try PublisherFixture.deployment()
    for number in 2...15 { try deployment.publish("UPDATE stop SET name = 'v\(number)' WHERE id = 1") }
    let rotten = try #require(try deployment.metadata(major: 2).objects.first { $0.span?.to.number == 7 })
    try DurableFile.write(try Compression.gzip([1, 2, 3]), to: deployment.publication.file(rotten))
    try deployment.origin("UPDATE stop SET name = 'v16' WHERE id = 1")
    let report = try deployment.step()
    #expect(report.series[0].merged.isEmpty && report.warnings.count == 1)
    #expect(report.warnings.first?.contains(rotten.sha256.hex) == true)
    let metadata = try deployment.metadata(major: 2)
    #expect(metadata.state.head.number == 16)
    #expect(metadata.objects.compactMap(\.span).allSatisfy { $0.length == 1 })
  }

  @Test func `a publisher that dies between objects and metadata loses nothing`() throws {
    let deployment = try PublisherFixture.deployment()
    for number in 2...15 { try deployment.publish("UPDATE stop SET name = 'v\(number)' WHERE id = 1") }
    let (files, copy) = (
      try publishedFiles(deployment.publication), try DurableFile.read(deployment.copy(), limit: 1 << 30)
    )
    try deployment.publish("UPDATE stop SET name = 'v16' WHERE id = 1")
    let after = try publishedFiles(deployment.publication)
    // The objects of version 16 are on disk, but no metadata lists them.
    for path in after.keys where files[path] == nil && path.contains("/metadata/") { try Folder.remove(path) }
    for (path, bytes) in files where path.contains("/metadata/") { try DurableFile.write(bytes, to: path) }
    try DurableFile.write(copy, to: deployment.copy())
    #expect(try deployment.metadata(major: 2).state.head.number == 15)
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .changed && report.merged.map(\.length) == [15])
    #expect(try deployment.names() == ["v16", "b", "c"])
  }
}
