import SeedFormat
import SeedHTTP

/// A request's query, of which nothing is passed over.
struct Parameters {
  private let items: [String: String]

  /// Fails where the query cannot be read or has a parameter that is not among `known`.
  init(_ request: HTTPRequest, known: [String]) throws(Problem) {
    do throws(HTTPQueryError) {
      items = try request.queryItems
    } catch {
      throw .unreadable(error)
    }
    if let stranger = items.keys.sorted().first(where: { !known.contains($0) }) {
      let expected = known.isEmpty ? "no parameters" : "one of \(known.joined(separator: ", "))"
      throw .badRequest(stranger, found: items[stranger], expected: expected)
    }
  }

  subscript(name: String) -> String? { items[name] }

  /// A parameter that has to be there, read by `make`.
  func required<Value>(
    _ name: String, _ expected: String, _ make: (String) throws(InvalidName) -> Value
  ) throws(Problem) -> Value {
    guard let text = items[name] else { throw .badRequest(name, found: nil, expected: expected) }
    do throws(InvalidName) {
      return try make(text)
    } catch {
      throw .badRequest(name, found: text, expected: error.expected)
    }
  }
}

extension Parameters {
  /// The model that the client was built for.
  func model() throws(Problem) -> ModelVersion {
    try required("model", "major.minor, such as 2.1") { text throws(InvalidName) in try ModelVersion(text) }
  }

  /// The version that the client has.
  func since() throws(Problem) -> Version {
    try required("since", "a whole number from 1") { text throws(InvalidName) in try Version(text) }
  }

  /// The epoch of the version that the client has, where it says it.
  func epoch() throws(Problem) -> Epoch? {
    guard self["epoch"] != nil else { return nil }
    return try required("epoch", "an epoch") { text throws(InvalidName) in try Epoch(text) }
  }
}
