package import SeedFormat
package import SeedTrust

/// A published, unretired series whose models are gone from the configuration.
package struct AbandonedSeries: Sendable {
  package let series: SeedSeries
  private let head: SeedVersion

  /// `known`: all series that have models.
  package static func all(in published: PublishedMetadata, besides known: Set<SeedSeries>) -> [Self] {
    published.series.values.map(\.metadata)
      .filter { !known.contains($0.series) && !$0.state.lifecycle.isRetired }
      .map { Self(series: $0.series, head: $0.state.head) }.sorted { $0.series < $1.series }
  }

  var problem: String {
    "published at version \(head), but no folder of its models is left: its clients get nothing new; "
      + "put models/\(series.major).* back, and to end it, publish once with \"lifecycle\": "
      + "{\"\(series.major)\": {\"state\": \"retired\"}} in \(series.dataset)/\(DeploymentNames.datasetFile)"
  }

  package var warning: String { "\(series): \(problem)" }
}
