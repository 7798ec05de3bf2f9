/// A syntax error in a JSON text.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The offset in bytes from the document's start.
  public let offset: Int
  /// The error as the rest of a sentence.
  public let reason: String

  package init(at offset: Int, _ reason: String) { (self.offset, self.reason) = (offset, reason) }

  /// One sentence with the offset.
  public var description: String { "\(reason) at byte \(offset)" }
}

/// The reason why a document is not the expected metadata, key or configuration.
public enum MalformedJSON: Error, Hashable, Sendable, CustomStringConvertible {
  case syntax(JSONError)
  /// A field is missing or has a wrong type or value; `path` starts at the document's root.
  case field(path: String, reason: String)

  /// The place and the reason.
  public var description: String {
    switch self {
    case .syntax(let error): error.description
    case .field("", let reason): reason
    case .field(let path, let reason): "\(path): \(reason)"
    }
  }
}
