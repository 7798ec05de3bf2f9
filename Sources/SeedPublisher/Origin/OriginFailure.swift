/// Why an origin could not be read, independent of its kind. Other errors concern its rows.
package protocol OriginFailure: Error, CustomStringConvertible {
  /// Whether a retry may succeed without a repair.
  var isUnavailable: Bool { get }
  /// Whether a setting, a permission or a model's SELECT is wrong rather than the rows.
  var isConfiguration: Bool { get }
  /// Whether an immediate retry in the same step makes sense.
  var isMomentary: Bool { get }
}

extension OriginFailure {
  package var isMomentary: Bool { false }
}
