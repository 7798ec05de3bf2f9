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
    deployment.job.snapshotSeconds = .max
    for number in 2...272 {
      try deployment.change(
        "INSERT OR REPLACE INTO stop(rowid, id, name) VALUES (\(number % 7 + 1), \(number % 7 + 1), 'v\(number)')"
      )
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

  @Test func `a merged delta has each changed key once, in its final state`() throws {
    let schema = "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, v)"
    let deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
    deployment.job.snapshotSeconds = .max
    try deployment.change("\(schema); INSERT INTO t VALUES ('a', 1), ('b', 1), ('filler', 0)")
    let fillers = (1...8).map { "UPDATE t SET v = \($0) WHERE k = 'filler'" }
    let changes = [
      // A client that enters in between has the new row.
      "INSERT INTO t VALUES ('new', 2)", "DELETE FROM t WHERE k = 'new'",
      "DELETE FROM t WHERE k = 'a'", "INSERT INTO t VALUES ('a', 2)", "UPDATE t SET v = 3 WHERE k = 'a'",
      // Both are one key under their collation.
      "UPDATE t SET k = 'B' WHERE k = 'b'", "DELETE FROM t WHERE k = 'B'",
    ]
    for sql in fillers + changes { try deployment.change(sql) }
    let object = try #require(try deployment.metadata().objects.first { $0.span?.length == 15 })
    let text = String(decoding: try deployment.publication.delta(object), as: UTF8.self)
    let rows = #""delete":[["B"],["new"]],"insert":[["a",3]],"update":[[0,"filler",8]]"#
    #expect(text.contains(rows), "\(text)")
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

  // MARK: Accidents

  @Test func `a corrupt delta is reported and not merged, and the step succeeds`() throws {
    let deployment = try PublisherFixture.deployment()
    for number in 2...15 { try deployment.change("UPDATE stop SET name = 'v\(number)' WHERE id = 1") }
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
}
