package import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSigning
package import SeedSystem
import SeedTrust

/// A step of one series in the history, or of a whole dataset if it failed earlier.
package struct StepRecord: Hashable, Sendable {
  package typealias Outcome = StepOutcome

  package var at: UTCTime
  package var milliseconds: Int
  package var dataset: DatasetName
  /// `nil` if the step ended before any series.
  package var series: Series?
  package var outcome: Outcome
  package var from: Int?
  package var to: Int?
  package var changes: ChangeReport = [:]
  package var deltaBytes: Int?
  package var snapshotBytes: Int?
  package var rows: Int?
  /// How the changes were found, if the origin was searched.
  package var foundBy: FoundBy?
  package var missedRows = 0
  package var error: String?
  /// The number of consecutive steps with this outcome, and the time of the last one.
  package var times = 1
  package var last: UTCTime

  init(_ outcome: Outcome, of dataset: DatasetName, at: UTCTime, milliseconds: Int) {
    (self.outcome, self.dataset, self.milliseconds) = (outcome, dataset, milliseconds)
    (self.at, last) = (at, at)
  }
}

extension StepRecord {
  init(_ report: SeriesReport, isRollback: Bool, at: UTCTime, milliseconds: Int) {
    self.init(.unchanged, of: report.series.dataset, at: at, milliseconds: milliseconds)
    series = report.series
    to = report.version?.number
    switch report.outcome {
    case .unchanged: outcome = report.hasSnapshot ? .published : .unchanged
    case .held: outcome = .held
    case .retired: outcome = .retired
    case .changed, .created: outcome = isRollback ? .rolledBack : .published
    }
    let isNew = report.outcome == .changed || report.outcome == .created
    from = isNew ? to.flatMap { $0 > 1 ? $0 - 1 : nil } : to
    changes = report.changes.filter { !$0.value.isEmpty }
    deltaBytes = report.deltaBytes
    (foundBy, missedRows) = (report.foundBy, report.missedRows)
    snapshotBytes = report.snapshotBytes
    rows = report.rows.isEmpty ? nil : report.rows.values.reduce(0, +)
  }

  init(_ error: any Error, of dataset: DatasetName, at: UTCTime, milliseconds: Int) {
    self.init(Self.outcome(of: error), of: dataset, at: at, milliseconds: milliseconds)
    self.error = "\(error)"
  }

  /// A step that failed before it began.
  init(refusedBecause text: String, of dataset: DatasetName, at: UTCTime) {
    self.init(.refused, of: dataset, at: at, milliseconds: 0)
    error = text
  }

  /// Data and configuration errors recur until the operator fixes them; others may be temporary.
  private static func outcome(of error: any Error) -> Outcome {
    switch error {
    case let error as any OriginFailure: error.isUnavailable ? .failed : .refused
    case is ImportError, is InvalidText, is PlanError, is SchemaProblem, is NotASeed, is ApplyError: .refused
    case PublicationError.locked: .failed
    case is PublicationError, is TrustError: .refused
    default: .failed
    }
  }
}

extension FailureReason {
  init(_ error: any Error) {
    switch error {
    case let error as any OriginFailure:
      self = error.isUnavailable ? .origin : error.isConfiguration ? .configuration : .data
    case PublicationError.shrunk: self = .shrunk
    case PublicationError.locked: self = .other
    case is ImportError, is InvalidText, is NotASeed, is ApplyError: self = .data
    case is PlanError, is SchemaProblem: self = .configuration
    case is MissingKeys, is KeyFileError: self = .keys
    case let error as PublicationError: self = error.isConfiguration ? .keys : .publication
    case is TrustError: self = .publication
    case is FileError, is DatabaseError: self = .disk
    default: self = .other
    }
  }
}
