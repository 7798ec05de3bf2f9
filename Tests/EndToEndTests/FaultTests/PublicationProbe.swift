import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust
import Support

/// Checks a publication as a client would: everything verified, every listed object present, head reached.
struct PublicationProbe {
  let publication: PublicationDirectory

  /// Returns the head's version and rows, or throws if a client could not reach it.
  func head(_ series: SeedSeries) throws -> (version: Int, rows: SeedRows)? {
    guard let metadata = try publication.published().series[series]?.metadata else { return nil }
    for object in metadata.objects { try check(object) }
    guard let snapshot = metadata.newestSnapshot else { throw NotASeed("there is no snapshot") }
    let folder = try TemporaryFolder(inMemory: true)
    _ = try Compression.expand(
      publication.file(snapshot), to: folder("seed.sqlite"), .gzip, limit: snapshot.rawLength)
    let seed = try Connection(folder("seed.sqlite"), .writer)
    let applier = DeltaApplier(seed, try SchemaReader(seed).schema())
    guard
      let chain = DeltaChain.shortest(
        metadata.objects, from: snapshot.version, snapshot.schema, to: metadata.state.head)
    else { throw NotASeed("no chain leads to the head") }
    for delta in chain {
      let document = try publication.delta(delta)
      try seed.transaction { _ = try applier.apply(document) }
    }
    try SeedCheck(seed, applier.schema).run()
    return (metadata.state.head.number, try seedRows(seed, applier.schema))
  }

  private func check(_ object: PublishedObject) throws {
    let found = try SHA256Digest.ofFile(at: publication.file(object))
    guard found.digest == object.sha256, found.length == object.length else {
      throw NotASeed("\(object.filePath) is not what was signed")
    }
  }
}
