import SeedFormat
import SeedSystem
import SeedTrust

/// A dataset as `/v1` and `/v1/{dataset}` describe it.
struct DatasetDescription {
  private let series: [SeriesMetadata]

  init(_ series: [SeriesMetadata]) { self.series = series }

  private var name: String { series.first?.series.dataset.text ?? "" }

  var json: JSONValue {
    [
      "dataset": .string(name), "url": .string("/v1/\(name)"),
      "series": .array(series.map { SeriesDescription($0).json }),
    ]
  }

  /// All datasets, for `/v1`.
  static func overview(of datasets: some Sequence<DatasetDescription>) -> JSONValue {
    ["datasets": .array(datasets.sorted { $0.name < $1.name }.map(\.json))]
  }
}

private struct SeriesDescription {
  private let metadata: SeriesMetadata
  private var state: SeriesState { metadata.state }

  init(_ metadata: SeriesMetadata) { self.metadata = metadata }

  var json: JSONValue {
    .object(present: [
      "major": .number(metadata.series.major),
      "epoch": .string(state.epoch.text),
      "head": .number(state.head.number),
      "floor": .number(state.floor.number),
      "model": .string(state.model.description),
      "models": .array(state.models.keys.sorted().map { .string($0.description) }),
      "lifecycle": state.lifecycle.json,
      "hold": hold,
      "publishedAt": .string(state.publishedAt.text),
      "publishedAtSeconds": .number(state.publishedAt.secondsSinceEpoch),
      "pollSeconds": .number(state.pollSeconds),
      "license": state.license.map(JSONValue.string),
      "attribution": state.attribution.map(JSONValue.string),
      "source": state.source.map(JSONValue.string),
      "snapshots": .array(snapshots),
      "snapshot": .string(FrontPath.snapshot(metadata.series.dataset, state.model)),
      "deltas": deltas,
      "changes": .string(
        FrontPath.changes(
          metadata.series.dataset, state.model, since: "{since}", epoch: "{epoch}")),
    ])
  }

  /// The version whose rows a rollback published again, while the series is held there.
  private var hold: JSONValue? {
    state.hold.map { ["version": .number($0.version.number), "since": .string($0.since.text)] }
  }

  /// The newest first.
  private var snapshots: [JSONValue] {
    metadata.usableSnapshots
      .sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
      .map { object in
        [
          "version": .number(object.version.number), "model": .string(object.model.description),
          "encoding": .string(object.encoding.rawValue), "length": .number(object.length),
          "rawLength": .number(object.rawLength), "sha256": .string(object.sha256.hex),
          "url": .string("/\(object.filePath)"),
        ]
      }
  }

  private var deltas: JSONValue {
    let lengths = metadata.objects.compactMap { object in
      if case .delta = object.kind { object.length } else { nil }
    }
    return ["count": .number(lengths.count), "bytes": .number(lengths.reduce(0, +))]
  }
}

/// The front's own paths, for responses that name them.
enum FrontPath {
  static func snapshot(_ dataset: DatasetName, _ model: ModelVersion) -> String {
    "/v1/\(dataset)/snapshot?model=\(model)"
  }

  static func changes(
    _ dataset: DatasetName, _ model: ModelVersion, since: String, epoch: String
  ) -> String {
    "/v1/\(dataset)/changes?model=\(model)&since=\(since)&epoch=\(epoch)"
  }
}
