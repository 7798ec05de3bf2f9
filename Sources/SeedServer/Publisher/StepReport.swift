package import SeedDatabase
package import SeedFormat
import SeedTrust

/// What one publish step did.
package struct StepReport: Sendable {
  package internal(set) var series: [SeriesReport] = []
  /// What an operator should look at, though the step went on.
  package internal(set) var warnings: [String] = []
  /// Files that went, or would go, because nothing names them any more: paths within the publication.
  package internal(set) var pruned: [String] = []
  /// Whether the step was only tried: nothing was written.
  package internal(set) var isPreview = false

  /// Whether clients have anything new to fetch.
  package var isUnchanged: Bool { series.allSatisfy { !$0.hasNews } }

  /// Takes down that a snapshot was listed.
  mutating func note(_ snapshot: PublishedObject, merged: [DeltaSpan]) {
    if !series.contains(where: { $0.series == snapshot.series }) {
      series.append(
        SeriesReport(series: snapshot.series, outcome: .unchanged, version: snapshot.version))
    }
    for index in series.indices where series[index].series == snapshot.series {
      series[index].hasSnapshot = true
      series[index].snapshotBytes = snapshot.length
      series[index].merged += merged
    }
  }

  /// Why a step would be held back that was only tried.
  package var shrinkError: PublicationError? {
    let shrunk = series.filter { !$0.shrunk.isEmpty }.map { ($0.series, $0.shrunk) }
    return shrunk.isEmpty ? nil : .shrunk(Dictionary(uniqueKeysWithValues: shrunk))
  }

  /// The series that take nothing from their origin.
  package var held: [Series] { series.filter { $0.outcome == .held }.map(\.series) }
}

/// What one publish step did to one series.
package struct SeriesReport: Sendable {
  /// How the series went on.
  package enum Outcome: String, Sendable {
    /// The origin holds what was published already.
    case unchanged
    /// A delta leads to a new version.
    case changed
    /// A first version, or a new schema: clients take a snapshot.
    case founded
    /// Its lifecycle is over.
    case retired
    /// An operator went back to an older version; nothing new is published.
    case held
  }

  /// Whether clients of the series have anything new to fetch.
  package var hasNews: Bool { (outcome != .unchanged && outcome != .held) || hasSnapshot }

  package let series: Series
  package let outcome: Outcome
  /// The version after the step.
  package let version: Version?
  /// Rows touched, by table.
  package var changes: ChangeReport = [:]
  /// Rows by table after the step, where they were counted.
  package var rows: [String: Int] = [:]
  /// Bytes of the delta as stored.
  package var deltaBytes: Int?
  /// The spans of which one delta was made.
  package var merged: [DeltaSpan] = []
  /// Whether a snapshot is published; its size is known once it is.
  package var hasSnapshot = false
  /// Bytes that the snapshot may have, where nothing was written: those of the newest one.
  package var expectedSnapshotBytes: Int?
  /// Bytes of the new snapshot as stored in gzip.
  package var snapshotBytes: Int?
  /// Tables that lost more rows than is allowed, where the step was only tried.
  package var shrunk: [ShrunkTable] = []
  /// What an operator should look at, though the series went on.
  var warnings: [String] = []
  /// Why the working copy had to be made anew from the publication.
  package var repair: String?
}
