/// A text that is not a valid name, version or digest.
public struct InvalidName: Error, Hashable, Sendable, CustomStringConvertible {
  /// `dataset name`, `model version`, …
  public let kind: String
  /// The text as it came.
  public let found: String
  /// Describes a valid text.
  public let expected: String

  package init(_ kind: String, found: some StringProtocol, expected: String) {
    self.kind = kind
    self.found = String(found)
    self.expected = expected
  }

  /// One sentence: kind, what was found, what was expected.
  public var description: String { "invalid \(kind) \"\(found)\": expected \(expected)" }
}
