import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// All that a front serves of a publication at one moment. A request sees one catalog from beginning to end.
package final class PublishedCatalog: Sendable {
  /// Where the objects lie; a request's path never becomes a part of it.
  let directory: PublicationDirectory
  /// Metadata files by name, `3.targets.json`.
  let metadata: CatalogShelf<ServedDocument>
  /// Objects by their path in the publication, `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  let objects: CatalogShelf<CatalogObject>
  /// Each dataset's series by major, the oldest first.
  let datasets: [DatasetName: [SeriesMetadata]]
  /// Until when clients accept it, role by role.
  let signatures: [SignatureExpiry]
  /// The version of the newest root.
  let rootVersion: Int
  /// What `/v1` says.
  let overview: ServedDocument
  /// What `/v1/{dataset}` says.
  let descriptions: [DatasetName: ServedDocument]

  /// Reads and verifies what is published now; what `previous` served stays for a while.
  package init(
    loading directory: PublicationDirectory, after previous: PublishedCatalog? = nil,
    at now: ContinuousClock.Instant = .now
  ) throws {
    let (published, files) = try Self.read(directory)
    self.directory = directory
    signatures = published.signatures
    rootVersion = published.root.version
    metadata = CatalogShelf(
      files, after: previous?.metadata, at: now, graceSeconds: FrontLimits.retiredMetadataSeconds)
    let series = published.series.values.map(\.metadata).sorted { $0.series < $1.series }
    objects = CatalogShelf(
      Self.objects(of: series, after: previous), after: previous?.objects, at: now,
      graceSeconds: FrontLimits.retiredObjectSeconds)
    datasets = Dictionary(grouping: series, by: \.series.dataset)
    let described = datasets.mapValues(DatasetDescription.init)
    descriptions = described.mapValues { ServedDocument($0.json) }
    overview = ServedDocument(DatasetDescription.overview(of: described.values))
  }

  /// The verified metadata, with the very bytes that were verified.
  private static func read(
    _ directory: PublicationDirectory
  ) throws -> (PublishedMetadata, [String: ServedDocument]) {
    var files: [String: ServedDocument] = [:]
    let published = try directory.published { name, bytes in files[name] = ServedDocument(bytes) }
    return (published, files)
  }

  private static func objects(
    of series: [SeriesMetadata], after previous: PublishedCatalog?
  ) -> [String: CatalogObject] {
    var objects: [String: CatalogObject] = [:]
    for metadata in series {
      for object in metadata.objects {
        let path = object.filePath
        // An object's time is that of the publication that first named it, as far as this process saw.
        objects[path] =
          previous?.objects[path] ?? CatalogObject(object, publishedAt: metadata.state.publishedAt)
      }
    }
    return objects
  }

  /// One series.
  func series(_ dataset: DatasetName, major: Int) -> SeriesMetadata? {
    datasets[dataset]?.first { $0.series.major == major }
  }
}

/// An object with what its answers say of it, made once.
struct CatalogObject: Sendable {
  let object: PublishedObject
  let tag: String
  let lastModified: String
  /// RFC 9530: `sha-256=:…:`.
  let digest: String

  init(_ object: PublishedObject, publishedAt: UTCTime) {
    self.object = object
    tag = entityTag(object.sha256)
    lastModified = publishedAt.httpText
    digest = "sha-256=:\(Base64.encode(object.sha256.bytes)):"
  }

  var mediaType: String {
    switch object.encoding {
    case .gzip: "application/gzip"
    case .xz: "application/x-xz"
    }
  }
}

extension SeriesMetadata {
  /// The snapshots that a client of any of the series' models can start from and go on with by deltas.
  ///
  /// One below the floor would only send its client back for another.
  var usableSnapshots: [PublishedObject] {
    objects.filter { object in
      guard case .snapshot(let version, _) = object.kind else { return false }
      return object.model == state.model && version >= state.floor
    }
  }

  /// The newest snapshot in an encoding.
  func newestSnapshot(_ encoding: ContentEncoding) -> PublishedObject? {
    usableSnapshots.filter { $0.encoding == encoding }.max { $0.version < $1.version }
  }
}
