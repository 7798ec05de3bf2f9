import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

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
        ("snapshots", .array(newestSnapshots.map(\.description))),
        ("snapshot", .string(FrontPath.snapshot(series.dataset, state.model))), ("deltas", deltas),
        (
          "changes",
          .string(FrontPath.changes(series.dataset, state.model, since: "{since}", epoch: "{epoch}"))
        )))
  }

  private var newestSnapshots: [PublishedObject] {
    usableSnapshots.sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
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
