import SeedFormat

extension HTTPRequest {
  /// The undecoded parameters by name; `flag` alone has the value "". No name or value here needs an escape, and each
  /// spelling of a target fills caches with another copy.
  package var queryItems: [String: String] {
    get throws(Problem) {
      var items: [String: String] = [:]
      guard let query, !query.isEmpty else { return items }
      for piece in query.split(separator: "&", omittingEmptySubsequences: false) {
        let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
          String.init)
        guard !parts[0].isEmpty else {
          throw Problem(.badRequest, "The query has a parameter without a name.")
        }
        guard items.updateValue(parts.count > 1 ? parts[1] : "", forKey: parts[0]) == nil else {
          throw Problem(
            .badRequest, "The parameter \"\(parts[0])\" is given more than once.",
            [JSONMember("parameter", .string(parts[0]))])
        }
      }
      return items
    }
  }
}
