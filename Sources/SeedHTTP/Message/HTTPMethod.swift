/// A request's method.
package enum HTTPMethod: Hashable, Sendable {
  /// `GET`
  case get
  /// `HEAD`
  case head
  /// `OPTIONS`
  case options
  /// Any other token; the guard lets none pass to a handler.
  case other(String)

  /// The methods that reach a handler, as the `Allow` field lists them.
  package static let allowed = "GET, HEAD, OPTIONS"

  /// The method of that name; methods are case-sensitive.
  package init(_ name: String) {
    switch name {
    case "GET": self = .get
    case "HEAD": self = .head
    case "OPTIONS": self = .options
    default: self = .other(name)
    }
  }

  /// The method as it stands in a request line.
  package var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}
