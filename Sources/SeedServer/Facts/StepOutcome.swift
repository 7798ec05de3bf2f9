/// How a publish step ended for a series.
package enum StepOutcome: String, Sendable, CaseIterable {
  /// A delta, a first version, a new schema or a snapshot was published.
  case published
  /// The series went back to an older version.
  case rolledBack
  /// There was nothing to publish.
  case unchanged
  /// A rollback holds the series.
  case held
  /// Its lifecycle is over.
  case retired
  /// The data or the configuration was not fit to be published.
  case refused
  /// A file, the disk or the origin failed.
  case failed

  /// Whether the origin was read, and all of it was fit to be published.
  var isGoodLook: Bool { self == .published || self == .unchanged }

  /// Whether the step came to nothing, so that somebody must look at it.
  package var isFailure: Bool { self == .refused || self == .failed }
}
