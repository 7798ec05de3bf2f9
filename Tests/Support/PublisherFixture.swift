package import SeedDatabase
import SeedFormat
package import SeedPublication
package import SeedPublisher
import SeedSystem
package import SeedTrust
import Testing

package enum PublisherFixture {
  package static let schema = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT)"

  package static func deployment(_ models: [ModelDefinition] = [model("2.0", schema)]) throws
    -> TestDeployment
  {
    let deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
    deployment.clock = .now()
    try deployment.origin(
      "CREATE TABLE stop(id, name, zone); INSERT INTO stop VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2)")
    _ = try deployment.step()
    return deployment
  }
}

extension TestDeployment {
  package func copy(major: Int = 2) -> String { folder("state/test-\(major).sqlite") }

  @discardableResult
  package func publish(_ sql: String) throws -> SeriesReport {
    try origin(sql)
    return try verifiedStep()
  }

  /// Runs a step and verifies the whole publication, up to a client that reaches head.
  @discardableResult
  package func verifiedStep(forcingSnapshot: Bool = false) throws -> SeriesReport {
    let report = try step(forcingSnapshot: forcingSnapshot).series[0]
    try verify()
    return report
  }

  /// Checks that every listed object has its signed hash and that every listed snapshot and delta leads to head.
  package func verify() throws {
    for (series, published) in try publication.published().series {
      for object in published.metadata.objects {
        let bytes = try DurableFile.read(publication.file(object), limit: object.length)
        #expect(Compression.Measure(of: bytes) == .init(length: object.length, sha256: object.sha256))
      }
      if job.plans.contains(where: { $0.series == series }) { try walk(published.metadata) }
    }
  }

  private func walk(_ metadata: SeriesMetadata) throws {
    let snapshots = metadata.objects.filter { !$0.isDelta && $0.encoding == .gzip }
    for snapshot in snapshots where snapshot.version >= metadata.state.floor {
      let path = try expand(snapshot, to: "walk.sqlite")
      let client = try Connection(path, .writer)
      let chain = DeltaChain.shortest(
        metadata.objects, from: snapshot.version, snapshot.schema, to: metadata.state.head)
      let applier = DeltaApplier(client, try SchemaReader(client).schema())
      for delta in try #require(chain, "no way from \(snapshot.version) to head") {
        let document = try publication.delta(delta)
        _ = try client.transaction { try applier.apply(DocumentPieces.of(document), signed: delta) }
      }
      #expect(applier.schema.hash == metadata.state.schema)
      let check = SeedCheck(client, applier.schema)
      try check.run()
      try check.checkSearchTables()
      try WorkingSeed.remove(path)
    }
  }

  /// The names that a client at head would see.
  package func names(major: Int = 2) throws -> [String] {
    let metadata = try metadata(major: major)
    let path = try expand(try #require(metadata.newestSnapshot), to: "names.sqlite")
    defer { try? WorkingSeed.remove(path) }
    let client = try Connection(path, .writer)
    let from = try SeedTables.meta(client)
    let applier = DeltaApplier(client, try SchemaReader(client).schema())
    let chain = DeltaChain.shortest(
      metadata.objects, from: from.version, from.schema, to: metadata.state.head)
    for delta in try #require(chain) {
      let document = try publication.delta(delta)
      _ = try client.transaction { try applier.apply(document) }
    }
    return try client.rows("SELECT name FROM stop ORDER BY id").map(\.[0].text)
  }

  /// Expects that the publication stays the same whether or not the step fails.
  package func expectNothingPublished(_ body: () throws -> Void) throws {
    let before = try publishedFiles(publication)
    try body()
    #expect(try publishedFiles(publication) == before)
  }
}

extension PublishedObject {
  package var isDelta: Bool { if case .delta = kind { true } else { false } }
}

/// Every file of a publication with its bytes; the lock does not count.
package func publishedFiles(_ publication: PublicationDirectory) throws -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  func walk(_ folder: String) throws {
    for name in try Folder.names(in: folder) where !name.hasSuffix(".lock") {
      let path = "\(folder)/\(name)"
      if Folder.isFolder(path) {
        try walk(path)
      } else {
        files[path] = try DurableFile.read(path, limit: 1 << 30)
      }
    }
  }
  try walk(publication.path)
  return files
}

/// A test's own seed file.
package enum WorkingSeed {
  package static func remove(_ path: String) throws {
    for suffix in ["", "-journal", "-wal", "-shm"] { try Folder.remove(path + suffix) }
  }
}

extension PublicationDirectory {
  /// Returns the expanded bytes of a delta, checked against its signed length and hash.
  package func delta(_ object: PublishedObject) throws -> [UInt8] {
    let source = try pieces(object)
    var document: [UInt8] = []
    while try source({ document += Array($0) }) {}
    return document
  }
}

extension Compression {
  /// Expands a gzip member; throws if the document is longer than `limit` bytes.
  package static func gunzip(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    var output: [UInt8] = []
    try GzipDecoder().process(bytes, isLast: true) { piece in
      guard output.count + piece.count <= limit else { throw CompressionError.tooLong(limit: limit) }
      output += piece
    }
    return output
  }
}
