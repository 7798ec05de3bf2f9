package import SeedDatabase
package import SeedFormat
import SeedTrust

/// What one step did.
package struct StepReport: Sendable {
  package internal(set) var series: [SeriesReport] = []
  /// The origin as it was before it was read; `nil` where the step did not look at it.
  package internal(set) var originStamp: (any OriginStamp)?
  /// Problems for an operator to look at, though the step went on.
  package internal(set) var warnings: [String] = []
  /// Parts that the origin has gained and clients do not get; `nil` where it was not read.
  var gained: Int?
  /// Files that went, or would go, because nothing names them any more: paths within the publication.
  package internal(set) var pruned: [String] = []
  /// The step was only tried: nothing was written.
  package internal(set) var isPreview = false
  /// Series that were held were to go on.
  var isResuming = false

  /// Whether clients have anything new to fetch.
  package var isUnchanged: Bool { series.allSatisfy { !$0.hasNews } }

  mutating func add(_ report: SeriesReport) {
    series.append(report)
    warnings += report.warnings
  }

  mutating func note(_ snapshot: PublishedObject, merged: [DeltaSpan]) {
    if !series.contains(where: { $0.series == snapshot.series }) {
      series.append(SeriesReport(series: snapshot.series, outcome: .unchanged, version: snapshot.version))
    }
    for index in series.indices where series[index].series == snapshot.series {
      series[index].hasSnapshot = true
      series[index].snapshotBytes = snapshot.length
      series[index].merged += merged
    }
  }

  /// Why the step would be held back; only for one that was only tried.
  package var shrinkError: PublicationError? {
    let shrunk = series.filter { !$0.shrunk.isEmpty }.map { ($0.series, $0.shrunk) }
    let found = Dictionary(uniqueKeysWithValues: shrunk)
    return found.isEmpty ? nil : .shrunk(found, isResuming: isResuming)
  }

  /// The series that a rollback holds, which take nothing from their origin.
  package var held: [Series] { series.filter { $0.outcome == .held }.map(\.series) }
}

/// What one step did to one series.
package struct SeriesReport: Sendable {
  /// How the series went on.
  package enum Outcome: String, Sendable {
    /// The origin holds what was published already.
    case unchanged
    /// A delta leads to a new version.
    case changed
    /// A first version, or a new schema: clients take a snapshot.
    case created
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
  /// The snapshot's expected size in bytes, where nothing was written: that of the newest one.
  package var expectedSnapshotBytes: Int?
  /// Bytes of the new snapshot as stored in gzip.
  package var snapshotBytes: Int?
  /// What lost more rows or values than is allowed, if the step was only tried.
  package var shrunk: [ShrunkTable] = []
  var warnings: [String] = []
  /// By what the changes were found; `nil` where nothing was compared with a version before.
  package var foundBy: FoundBy?
  /// Rows that the origin's log should have named and did not.
  package var missedRows = 0
  /// Why the working copy had to be made anew from the publication.
  package var repair: String?
}
