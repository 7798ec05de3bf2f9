import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// A publication as the front serves it. A request sees one catalog from beginning to end.
package final class PublishedCatalog: Sendable {
  let directory: PublicationDirectory
  /// Metadata files by name, `3.targets.json`.
  let metadata: CatalogShelf<ServedDocument>
  /// Objects by their path in the publication, `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  let objects: CatalogShelf<CatalogObject>
  let datasets: [DatasetName: [SeriesMetadata]]
  let signatures: [SignatureExpiry]
  /// Whose signatures count, by role.
  let keys: [KeyRole: RoleKeys]
  /// Bytes of all files that are published now.
  let publishedBytes: Int
  let rootVersion: Int
  private let described: JSONValue
  let descriptions: [DatasetName: ServedDocument]

  /// Reads and verifies the publication. Files that only `previous` names are served for a while longer.
  package init(
    loading directory: PublicationDirectory, after previous: PublishedCatalog? = nil,
    at now: ContinuousClock.Instant = .now
  ) throws {
    let verified = try directory.verified()
    self.directory = directory
    signatures = verified.metadata.signatures
    rootVersion = verified.metadata.root.version
    keys = KeyRole.allCases.reduce(into: [:]) { keys, role in keys[role] = verified.metadata.keys(of: role) }
    publishedBytes =
      verified.files.values.reduce(0) { $0 + $1.count }
      + verified.metadata.objectBytes
    metadata = CatalogShelf(
      verified.files.mapValues(ServedDocument.init), after: previous?.metadata, at: now,
      graceSeconds: FrontLimits.retiredMetadataSeconds)
    let series = verified.metadata.series.values.map(\.metadata).sorted { $0.series < $1.series }
    objects = CatalogShelf(
      Self.objects(of: series, after: previous), after: previous?.objects, at: now,
      graceSeconds: FrontLimits.retiredObjectSeconds)
    datasets = Dictionary(grouping: series, by: \.series.dataset)
    let described = datasets.mapValues(\.datasetDescription)
    descriptions = described.mapValues { ServedDocument($0) }
    self.described = .array(described.sorted { $0.key < $1.key }.map(\.value))
  }

  /// All that is published, and which signatures clients still accept.
  func overview(_ standing: CatalogStanding) -> ServedDocument {
    let signatures = signatures.map { signature -> JSONValue in
      [
        "role": .string(signature.role), "expires": .string(signature.expires.text),
        "expired": .bool(standing.expired.contains(signature.role)),
      ]
    }
    return ServedDocument(
      .object(
        .init(
          ("datasets", described), ("signatures", .array(signatures)),
          ("lateSince", (standing.lateSince?.text).map(JSONValue.string)))))
  }

  private static func objects(
    of series: [SeriesMetadata], after previous: PublishedCatalog?
  ) -> [String: CatalogObject] {
    series.reduce(into: [:]) { objects, metadata in
      for object in metadata.objects {
        // An object's time is that of the publication that first named it in its epoch, as far as this process saw.
        let known = previous?.objects[object.filePath]
        objects[object.filePath] =
          known?.epoch == metadata.state.epoch ? known : CatalogObject(object, of: metadata.state)
      }
    }
  }

  /// The name that the next root will have.
  var nextRoot: String { MetadataName.versioned(Root.type, rootVersion + 1) }

  var allSeries: [SeriesMetadata] { datasets.values.flatMap(\.self).sorted { $0.series < $1.series } }

  func series(_ dataset: DatasetName, major: Int) -> SeriesMetadata? {
    datasets[dataset]?.first { $0.series.major == major }
  }
}

extension SeriesMetadata {
  /// From these, clients of any of the models can go on with deltas: below the floor, they would need another one.
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

/// Items by name, the retired ones for a while longer: a client in the middle of a refresh, or on the way to an
/// object, asks for names from the metadata of a moment ago.
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

  func isRetired(_ name: String) -> Bool { places[name].map { $0.retired != nil } ?? true }

  var names: [String] { places.keys.sorted() }
}
