/// A text that is not a valid name, version or digest.
public struct InvalidName: Error, Hashable, Sendable, CustomStringConvertible {
  /// `dataset name`, `model version`, …
  public let kind: String
  /// The text as given.
  public let found: String
  /// Describes a valid text.
  public let expected: String

  package init(_ kind: String, found: some StringProtocol, expected: String) {
    (self.kind, self.found, self.expected) = (kind, String(found), expected)
  }

  /// One sentence with kind, found and expected text.
  public var description: String { "invalid \(kind) \"\(found)\": expected \(expected)" }
}

/// Makes a value from source code; traps if it is invalid.
func written<Value>(_ text: StaticString, _ make: (String) throws(InvalidName) -> Value) -> Value {
  do {
    return try make(text.description)
  } catch {
    preconditionFailure(error.description)
  }
}
