package import SeedFormat
package import SeedTrust

package struct ModelList {
  /// A dataset with its models, their plans, and its lifecycles by major.
  package typealias Dataset = (
    name: DatasetName, models: [ModelDefinition], plans: [SeriesPlan], lifecycles: [Int: SeedLifecycle]
  )

  private let rows: [Row]

  private struct Row {
    let dataset: DatasetName
    let version: ModelVersion
    let schema: SHA256Digest
    let isPublished: Bool
    let lifecycle: SeedLifecycle
    let path: String
  }

  package init(_ datasets: [Dataset], _ published: PublishedMetadata?) {
    rows = datasets.flatMap { dataset in
      let hashes = dataset.plans.reduce(into: [:]) { $0.merge($1.hashes) { first, _ in first } }
      return dataset.models.map { model in
        let state = published?.series[SeedSeries(dataset.name, model: model.version)]?.metadata.state
        return Row(
          dataset: dataset.name, version: model.version,
          schema: hashes[model.version] ?? SHA256Digest.of([]),
          isPublished: state?.models[model.version] != nil,
          lifecycle: dataset.lifecycles[model.version.major] ?? .active, path: model.path)
      }
    }
  }

  package var text: String {
    rows.map { row in
      let sunset = row.lifecycle.sunset.map { " until \($0)" } ?? ""
      return "\(row.dataset) \(row.version): \(row.isPublished ? "published" : "not published yet"),"
        + " \(row.lifecycle.word)\(sunset), schema \(row.schema.hex.prefix(Self.shownDigits)), \(row.path.printable)"
    }.joined(separator: "\n")
  }

  private static let shownDigits = 12

  package var json: JSONValue {
    let models = rows.map { row in
      [
        "dataset": .string(row.dataset.text), "model": .string("\(row.version)"),
        "schema": .string(row.schema.hex), "published": .bool(row.isPublished),
        "lifecycle": .string(row.lifecycle.word), "sunset": JSONValue(row.lifecycle.sunset),
        "message": JSONValue(row.lifecycle.message), "path": .string(row.path),
      ] as JSONValue
    }
    return ["models": .array(models)]
  }
}
