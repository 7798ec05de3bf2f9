import SeedFormat
import SeedTrust

/// Series that are published, and not over, though the configuration has no model of theirs any more.
struct AbandonedSeries {
  let series: Series
  let head: Version

  /// All of them, in order.
  static func all(in published: PublishedMetadata, _ configuration: DeploymentConfiguration) -> [Self] {
    let known = configuration.datasets.flatMap { dataset in
      dataset.models.map { Series(dataset.name, model: $0.version) }
    }
    return published.series.values.map(\.metadata).filter {
      !known.contains($0.series) && !$0.state.lifecycle.isRetired
    }
    .map { Self(series: $0.series, head: $0.state.head) }.sorted { $0.series < $1.series }
  }

  /// Without the full stop.
  var problem: String {
    "published at version \(head), but no folder of its models is left: its clients get nothing new; "
      + "put models/\(series.major).* back, and where it is to end publish once with \"lifecycle\": "
      + "{\"\(series.major)\": {\"state\": \"retired\"}} in \(series.dataset)/\(DatasetConfiguration.fileName)"
  }

  var warning: String { "\(series): \(problem)" }
}
