package import SeedDatabase
package import SeedFormat

/// What one publish step did.
package struct StepReport: Sendable {
  package internal(set) var series: [SeriesReport] = []

  /// Whether clients have anything new to fetch.
  package var isUnchanged: Bool { series.allSatisfy { !$0.hasNews } }

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
  package var hasNews: Bool { (outcome != .unchanged && outcome != .held) || snapshotBytes != nil }

  package let series: Series
  package let outcome: Outcome
  /// The version after the step.
  package let version: Version?
  /// Rows touched, by table.
  package var changes: ChangeReport = [:]
  /// Bytes of the delta as stored.
  package var deltaBytes: Int?
  /// Bytes of the new snapshot as stored in gzip.
  package var snapshotBytes: Int?
  /// Why the working copy had to be made anew from the publication.
  package var repair: String?
}
