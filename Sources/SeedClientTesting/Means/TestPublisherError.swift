/// A mistake in a test: data that a ``TestPublisher`` cannot publish, or an invalid schema.
public struct TestPublisherError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake, with table, column and row, and the remedy.
  public let description: String

  package init(_ description: String) { self.description = description }
}
