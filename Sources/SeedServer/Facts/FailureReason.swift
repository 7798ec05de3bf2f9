/// Why a step came to nothing, in a word that names nothing of the deployment.
package enum FailureReason: String, Sendable, CaseIterable {
  /// A key is missing, cannot be read, or is another one than the publication names.
  case keys
  /// The configuration or a model does not fit.
  case configuration
  /// The origin is away, locked or cannot be read.
  case origin
  /// What the origin holds is not fit to be published.
  case data
  /// Tables lost more rows, or columns more values, than is allowed.
  case shrunk
  /// What is published cannot be read, or does not belong to this publisher.
  case publication
  /// A file or a disk failed.
  case disk
  case other
}
