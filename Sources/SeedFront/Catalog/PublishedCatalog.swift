import SeedFormat
import SeedHTTP
package import SeedPublication
import SeedSystem
import SeedTrust

/// A publication as served. Each request uses one catalog from start to end.
package final class PublishedCatalog: Sendable {
  let directory: PublicationDirectory
  /// By name, such as `3.targets.json`.
  let metadata: CatalogShelf<ServedDocument>
  /// By path in the publication, such as `targets/transit/2/<sha256>.snapshot-102.sqlite.gz`.
  let objects: CatalogShelf<CatalogObject>
  let datasets: [DatasetName: [SeriesMetadata]]
  let signatures: [SignatureExpiry]
  let publishedBytes: Int
  let rootVersion: Int
  private let described: JSONValue
  let descriptions: [DatasetName: ServedDocument]

  /// Reads and verifies the publication. Files named only by `previous` are served a while longer.
  package init(
    loading directory: PublicationDirectory, after previous: PublishedCatalog? = nil,
    at now: ContinuousClock.Instant = .now, objectGraceSeconds: Int = FrontLimits.usualObjectGraceSeconds
  ) throws {
    let verified = try directory.verified()
    self.directory = directory
    signatures = verified.metadata.signatures
    rootVersion = verified.metadata.root.version
    publishedBytes = verified.files.values.reduce(0) { $0 + $1.count } + verified.metadata.objectBytes
    metadata = CatalogShelf(
      verified.files.mapValues(ServedDocument.init), after: previous?.metadata, at: now,
      graceSeconds: FrontLimits.retiredMetadataSeconds)
    let series = verified.metadata.series.values.map(\.metadata).sorted { $0.series < $1.series }
    objects = CatalogShelf(
      Self.objects(of: series, after: previous),
      after: previous?.objects ?? CatalogShelf(Self.allObjects(in: directory)), at: now,
      graceSeconds: objectGraceSeconds)
    datasets = Dictionary(grouping: series, by: \.series.dataset)
    let described = datasets.mapValues(\.datasetDescription)
    descriptions = described.mapValues { ServedDocument($0) }
    self.described = .array(described.sorted { $0.key < $1.key }.map(\.value))
  }

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

  /// The objects of current and earlier metadata. A restarted front serves them while their files exist: the publisher
  /// keeps the files for its grace period, and clients verify them.
  private static func allObjects(in directory: PublicationDirectory) -> [String: CatalogObject] {
    var objects: [String: CatalogObject] = [:]
    directory.forEachMetadataOfSeries { metadata in
      for object in metadata.objects where objects[object.filePath] == nil {
        objects[object.filePath] = CatalogObject(object, of: metadata.state)
      }
    }
    return objects
  }

  private static func objects(
    of series: [SeriesMetadata], after previous: PublishedCatalog?
  ) -> [String: CatalogObject] {
    series.reduce(into: [:]) { objects, metadata in
      for object in metadata.objects {
        // An object keeps its first `Last-Modified` date until the epoch changes.
        let known = previous?.objects[object.filePath]
        objects[object.filePath] =
          known?.epoch == metadata.state.epoch ? known : CatalogObject(object, of: metadata.state)
      }
    }
  }

  var nextRoot: String { MetadataName.versioned(Root.type, rootVersion + 1) }

  var allSeries: [SeriesMetadata] { datasets.values.flatMap(\.self).sorted { $0.series < $1.series } }

  func series(_ dataset: DatasetName, major: Int) -> SeriesMetadata? {
    datasets[dataset]?.first { $0.series.major == major }
  }
}

extension SeriesMetadata {
  /// The newest model's snapshots from which deltas lead to the head. Clients of older minors can use them too.
  var usableSnapshots: [PublishedObject] {
    objects.filter { object in
      guard case .snapshot(let version, _) = object.kind else { return false }
      return object.model == state.model && version >= state.floor
    }
  }
}

extension [PublishedObject] {
  var newestFirst: [PublishedObject] {
    sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
  }

  func newest(_ encoding: ContentEncoding) -> PublishedObject? {
    filter { $0.encoding == encoding }.max { $0.version < $1.version }
  }
}

/// Items by name. Retired items are kept for a while, for clients in the middle of a refresh or download.
struct CatalogShelf<Item: Sendable>: Sendable {
  private let places: [String: (item: Item, retired: ContinuousClock.Instant?)]

  init(_ current: [String: Item]) { places = current.mapValues { ($0, nil) } }

  init(
    _ current: [String: Item], after previous: CatalogShelf?, at now: ContinuousClock.Instant,
    graceSeconds: Int
  ) {
    var places = CatalogShelf(current).places
    for (name, place) in previous?.places ?? [:] where places[name] == nil {
      let retired = place.retired ?? now
      guard now - retired <= .seconds(graceSeconds) else { continue }
      places[name] = (place.item, retired)
    }
    self.places = places
  }

  subscript(name: String) -> Item? { places[name]?.item }

  func isRetired(_ name: String) -> Bool { places[name].map { $0.retired != nil } ?? true }
}

extension [SeriesMetadata] {
  var datasetDescription: JSONValue {
    let name = first?.series.dataset.text ?? ""
    return ["dataset": .string(name), "url": .string("/v1/\(name)"), "series": .array(map(\.description))]
  }
}

extension SeriesMetadata {
  fileprivate var description: JSONValue {
    .object(
      .init(
        ("major", JSONValue(series.major)), ("epoch", .string(state.epoch.text)),
        ("head", JSONValue(state.head.number)), ("floor", JSONValue(state.floor.number)),
        ("model", .string(state.model.description)),
        ("models", JSONValue(strings: state.models.keys.sorted().map(\.description))),
        ("lifecycle", state.lifecycle.json), ("hold", state.hold?.description),
        ("publishedAt", .string(state.publishedAt.text)),
        ("publishedAtSeconds", JSONValue(state.publishedAt.secondsSinceEpoch)),
        ("pollSeconds", JSONValue(state.pollSeconds)), ("license", state.license.map(JSONValue.string)),
        ("attribution", state.attribution.map(JSONValue.string)),
        ("source", state.source.map(JSONValue.string)),
        ("snapshots", .array(usableSnapshots.newestFirst.map(\.description))),
        ("snapshot", .string(FrontPath.snapshot(series.dataset, state.model))), ("deltas", deltas),
        (
          "changes",
          .string(FrontPath.changes(series.dataset, state.model, since: "{since}", epoch: "{epoch}"))
        )))
  }

  private var deltas: JSONValue {
    let lengths = objects.filter { $0.span != nil && $0.encoding == .gzip }.map(\.length)
    return ["count": JSONValue(lengths.count), "bytes": JSONValue(lengths.reduce(0, +))]
  }
}

extension SeriesHold {
  fileprivate var description: JSONValue {
    ["version": JSONValue(version.number), "since": .string(since.text)]
  }
}

extension PublishedObject {
  fileprivate var description: JSONValue {
    [
      "version": JSONValue(version.number), "model": .string(model.description),
      "encoding": .string(encoding.rawValue), "length": JSONValue(length), "rawLength": JSONValue(rawLength),
      "sha256": .string(sha256.hex), "url": .string("/\(filePath)"),
    ]
  }
}

enum FrontPath {
  static func facts(_ dataset: DatasetName, _ model: ModelVersion) -> String {
    "/v1/\(dataset)/facts?model=\(model)"
  }

  static func snapshot(_ dataset: DatasetName, _ model: ModelVersion) -> String {
    "/v1/\(dataset)/snapshot?model=\(model)"
  }

  static func changes(
    _ dataset: DatasetName, _ model: ModelVersion, since: String, to end: SeedVersion? = nil, epoch: String
  ) -> String {
    let limit = end.map { "&to=\($0)" } ?? ""
    return "/v1/\(dataset)/changes?model=\(model)&since=\(since)\(limit)&epoch=\(epoch)"
  }
}
