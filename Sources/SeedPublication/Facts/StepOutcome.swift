package enum StepOutcome: String, Sendable, CaseIterable {
  /// A delta, a first version, a new schema or a snapshot was published.
  case published
  case rolledBack
  case unchanged
  case held
  case retired
  /// The data or configuration was invalid.
  case refused
  /// A file, the disk or the origin failed.
  case failed

  /// Whether the origin was read and could be published.
  package var isGoodLook: Bool { self == .published || self == .unchanged }

  /// Whether the step needs attention.
  package var isFailure: Bool { self == .refused || self == .failed }
}
