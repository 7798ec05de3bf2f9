package import SeedDatabase
package import SeedFormat
package import SeedPublication
import SeedSigning
import SeedSystem
package import SeedTrust

package struct StepReport: Sendable {
  package internal(set) var series: [SeriesReport] = []
  /// The origin's stamp before it was read; `nil` if the step did not check it.
  package internal(set) var originStamp: (any OriginStamp)?
  package internal(set) var warnings: [String] = []
  /// The number of new parts in the origin that clients do not get; `nil` if the origin was not read.
  var gained: Int?
  /// Files that were or would be removed, as paths within the publication.
  package internal(set) var pruned: [String] = []
  package internal(set) var isPreview = false
  var isResuming = false

  package init() {}

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

  /// The error that would stop the step. Set only in a preview.
  package var shrinkError: PublicationError? {
    let shrunk = series.filter { !$0.shrunk.isEmpty }.map { ($0.series, $0.shrunk) }
    let found = Dictionary(uniqueKeysWithValues: shrunk)
    return found.isEmpty ? nil : .shrunk(found, isResuming: isResuming)
  }

  package var held: [SeedSeries] { series.filter { $0.outcome == .held }.map(\.series) }
}

package struct SeriesReport: Sendable {
  package enum Outcome: String, Sendable {
    /// The origin equals the published version.
    case unchanged
    case changed
    /// A first version or a new schema. Clients download a snapshot.
    case created
    case retired
    case held
  }

  /// Whether clients get a version, a snapshot or a lifecycle that they did not have before the step.
  package var hasNews: Bool {
    outcome == .changed || outcome == .created || hasSnapshot || newLifecycle != nil
  }

  package let series: SeedSeries
  package let outcome: Outcome
  package let version: SeedVersion?
  /// A new minor that begins with this version.
  package var newModel: ModelVersion?
  /// The lifecycle, if the step changed it.
  package var newLifecycle: SeedLifecycle?
  package var changes: ChangeReport = [:]
  /// The number of updated rows that changed only in the new minor's columns.
  package var filled = 0
  /// Rows by table after the step, if counted.
  package var rows: [String: Int] = [:]
  /// The compressed size of the delta.
  package var deltaBytes: Int?
  /// The version spans that were each merged into one delta.
  package var merged: [DeltaSpan] = []
  /// Whether a snapshot is published. Its size is set after publication.
  package var hasSnapshot = false
  /// The size of the new snapshot in gzip.
  package var snapshotBytes: Int?
  /// In a preview, the tables and columns that lost more than allowed.
  package var shrunk: [ShrunkTable] = []
  var warnings: [String] = []
  /// How the changes were found; `nil` if there was no earlier version to compare with.
  package var foundBy: FoundBy?
  package var missedRows = 0
  package var repair: String?
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

  /// Data and configuration errors recur until the operator fixes them; others may be temporary.
  init(_ error: any Error, of dataset: DatasetName, at: UTCTime, milliseconds: Int) {
    let reason = Reason(error)
    let isPassing = [.origin, .disk, .other].contains(reason)
    self.init(isPassing ? .failed : .refused, of: dataset, at: at, milliseconds: milliseconds)
    (self.error, self.reason) = ("\(error)", reason)
  }
}

extension StepRecord.Reason {
  init(_ error: any Error) {
    switch error {
    case OriginError.damaged: self = .origin
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
