/// A mistake in a test: what it asked of a ``TestPublisher`` cannot be published, or is no schema.
public struct TestPublisherError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with table, column and row, and what to do.
  public let description: String

  package init(_ description: String) { self.description = description }
}
