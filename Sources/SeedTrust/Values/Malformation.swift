public import SeedFormat

/// Why a document is not the metadata or key that it should be.
public enum Malformation: Error, Hashable, Sendable {
  /// The bytes are not JSON as this project accepts it.
  case notJSON(JSONError)
  /// A field is missing, of the wrong type or of a wrong value; `path` leads to it from the document's root.
  case field(path: String, reason: String)
}

extension Malformation: CustomStringConvertible {
  /// The place and the reason.
  public var description: String {
    switch self {
    case .notJSON(let error): error.description
    case .field(let path, let reason): "\(path): \(reason)"
    }
  }
}
