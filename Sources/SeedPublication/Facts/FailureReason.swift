/// Why a step failed, as a code that reveals nothing about the deployment.
package enum FailureReason: String, Sendable, CaseIterable {
  /// A key is missing, unreadable, or not the one that the publication names.
  case keys
  /// The configuration or a model is invalid.
  case configuration
  /// The origin is unavailable, locked or unreadable.
  case origin
  /// The origin's data cannot be published.
  case data
  /// Tables lost more rows, or columns more values, than allowed.
  case shrunk
  /// The publication is unreadable or belongs to another publisher.
  case publication
  case disk
  case other
}
