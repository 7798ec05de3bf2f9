import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// A publication as the front serves it. A request sees one catalog from beginning to end.
package final class PublishedCatalog: Sendable {
  /// The folder of the objects; a request's path never becomes a part of it.
  let directory: PublicationDirectory
  /// Metadata files by name, `3.targets.json`.
  let metadata: CatalogShelf<ServedDocument>
  /// Objects by their path in the publication, `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  let objects: CatalogShelf<CatalogObject>
  /// Each dataset's series by major, the oldest first.
  let datasets: [DatasetName: [SeriesMetadata]]
  /// When each role's signatures expire.
  let signatures: [SignatureExpiry]
  let rootVersion: Int
  /// The response of `/v1`.
  let overview: ServedDocument
  /// The response of `/v1/{dataset}`.
  let descriptions: [DatasetName: ServedDocument]

  /// Reads and verifies the publication. Files that only `previous` names are served for a while longer.
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
    let verified = try directory.verified()
    return (verified.metadata, verified.files.mapValues(ServedDocument.init))
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

  /// Every series, in order.
  var allSeries: [SeriesMetadata] { datasets.values.flatMap(\.self).sorted { $0.series < $1.series } }

  /// A front is ready when clients of every series can start from a snapshot.
  var isReady: Bool { !datasets.isEmpty && allSeries.allSatisfy { !$0.usableSnapshots.isEmpty } }

  func series(_ dataset: DatasetName, major: Int) -> SeriesMetadata? {
    datasets[dataset]?.first { $0.series.major == major }
  }
}

/// An object with the header fields of its responses, made once.
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
  /// The snapshots from which a client of any of the series' models can start and continue with deltas.
  ///
  /// A snapshot below the floor would only send its client back for another.
  var usableSnapshots: [PublishedObject] {
    objects.filter { object in
      guard case .snapshot(let version, _) = object.kind else { return false }
      return object.model == state.model && version >= state.floor
    }
  }

  func newestSnapshot(_ encoding: ContentEncoding) -> PublishedObject? {
    usableSnapshots.filter { $0.encoding == encoding }.max { $0.version < $1.version }
  }
}

/// Items by name: the current ones, and for a while the retired ones.
///
/// A client in the middle of a refresh, or on the way to an object, asks for names from the metadata of a moment ago.
/// Whatever the last catalog held stays for one more.
struct CatalogShelf<Item: Sendable>: Sendable {
  private struct Place: Sendable {
    let item: Item
    let retired: ContinuousClock.Instant?
  }

  private let places: [String: Place]

  init(
    _ current: [String: Item], after previous: CatalogShelf?, at now: ContinuousClock.Instant,
    graceSeconds: Int
  ) {
    var places = current.mapValues { Place(item: $0, retired: nil) }
    for (name, place) in previous?.places ?? [:] where places[name] == nil {
      let retired = place.retired ?? now
      guard now - retired <= .seconds(graceSeconds) else { continue }
      places[name] = Place(item: place.item, retired: retired)
    }
    self.places = places
  }

  subscript(name: String) -> Item? { places[name]?.item }

  /// True where no current item has the name.
  func isRetired(_ name: String) -> Bool { places[name].map { $0.retired != nil } ?? true }

  /// All names, the retired ones too.
  var names: [String] { places.keys.sorted() }
}

/// Bytes in memory with their strong entity tag.
struct ServedDocument: Hashable, Sendable {
  let bytes: [UInt8]
  /// Quoted, as it stands in `ETag`.
  let tag: String

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tag = entityTag(SHA256Digest.of(bytes))
  }

  init(_ json: JSONValue) { self.init(json.bytes + [UInt8(ascii: "\n")]) }
}

/// The ETag of every file that is served: the SHA-256 of its content. Pages of changes have one of their own kind
/// (``ChangesPage``).
func entityTag(_ digest: SHA256Digest) -> String { "\"\(digest.hex)\"" }

extension JSONValue {
  /// A whole number.
  static func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// An object without those members that have no value.
  static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
  }
}
