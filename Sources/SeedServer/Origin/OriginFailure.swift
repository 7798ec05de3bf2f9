/// Why an origin gave no rows, whatever kind it is, and who can change that. All else is the fault of its rows.
package protocol OriginFailure: Error, CustomStringConvertible {
  /// Whether another try may find the origin in order without anyone mending it.
  var isUnavailable: Bool { get }
  /// Whether a setting, a right or a model's SELECT must be mended, not the rows.
  var isConfiguration: Bool { get }
  /// Whether it is worth reading once more at once, in the same step.
  var isMomentary: Bool { get }
}

extension OriginFailure {
  /// Most last for longer than a step.
  package var isMomentary: Bool { false }
}
