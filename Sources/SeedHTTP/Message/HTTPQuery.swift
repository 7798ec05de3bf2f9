package enum HTTPQueryError: Error, Hashable, Sendable, CustomStringConvertible {
  case missingName
  case duplicate(parameter: String)

  package var parameter: String? {
    switch self {
    case .missingName: nil
    case .duplicate(let name): name
    }
  }

  package var description: String {
    switch self {
    case .missingName: "The query has a parameter without a name."
    case .duplicate(let name): "The parameter \"\(name)\" is given more than once."
    }
  }
}

extension HTTPRequest {
  /// The undecoded parameters by name; `flag` alone has the value "". No name or value here needs an escape, and each
  /// spelling of a target fills caches with another copy.
  package var queryItems: [String: String] {
    get throws(HTTPQueryError) {
      var items: [String: String] = [:]
      guard let query, !query.isEmpty else { return items }
      for piece in query.split(separator: "&", omittingEmptySubsequences: false) {
        let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
          String.init)
        guard !parts[0].isEmpty else { throw .missingName }
        guard items.updateValue(parts.count > 1 ? parts[1] : "", forKey: parts[0]) == nil else {
          throw .duplicate(parameter: parts[0])
        }
      }
      return items
    }
  }
}
