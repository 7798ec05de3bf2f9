import SeedClient
import Support

extension HostileCase {
  // MARK: Statuses

  static let statuses = [
    HostileCase("it has an error, once", times: 1, .succeeds) { $0.status(500) },
    HostileCase("it has errors", .fails(.server)) { $0.status(500) },
    HostileCase("it is overloaded for an hour", .fails(.serverBusy)) {
      $0.status(503, "Retry-After: 3600")
    },
    HostileCase("it says that there were too many requests, twice", times: 2, .succeeds) {
      $0.status(429, "Retry-After: 2")
    },
    HostileCase("it says that there were too many requests, and until when", .fails(.serverBusy)) {
      $0.status(429, "Retry-After: Fri, 01 Jan 2100 00:00:00 GMT")
    },
    HostileCase("it asks for patience in words", .fails(.serverBusy)) {
      $0.status(503, "Retry-After: soon")
    },
    HostileCase("it does not find", .fails(.missingFile)) { $0.status(404) },
    HostileCase("it says that nothing changed", .fails(.server)) { exchange in
      exchange.connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
      return false
    },
    HostileCase("it redirects to a file that is not there", .fails(.missingFile)) {
      $0.status(302, "Location: /nowhere")
    },
    HostileCase("it redirects without saying where to", .fails(.server)) { $0.status(302) },
  ]

  // MARK: Parts

  private static let half = 30_000

  /// Sends the first half and breaks the connection.
  static func breakHalfway(_ exchange: HostileExchange) -> Bool {
    exchange.head("200 OK", length: exchange.content.count)
    exchange.connection.send(exchange.content.prefix(half))
    return false
  }

  /// Breaks the first response halfway, and answers the request for the rest.
  private static func rest(
    _ name: String, times: Int = .max, _ outcome: Outcome,
    _ answer: @escaping @Sendable (HostileExchange, Range<Int>) -> Bool
  ) -> HostileCase {
    HostileCase(name, times: times, outcome) { exchange in
      exchange.request.range.map { answer(exchange, $0) } ?? breakHalfway(exchange)
    }
  }

  static let parts = [
    HostileCase("it ignores that a part was asked for", times: 2, .succeeds) { exchange in
      if exchange.count == 1 { return breakHalfway(exchange) }
      return exchange.head("200 OK", length: exchange.content.count)
        && exchange.connection.send(exchange.content)
    },
    rest("it sends another part than the one that was asked for", .fails(.server)) { exchange, range in
      exchange.part(range.lowerBound + 1..<range.upperBound)
    },
    rest("it has nonsense for a Content-Range", .fails(.server)) { exchange, range in
      exchange.part(range, saying: "bytes 5-4/3")
    },
    rest("a part is of a file of another length", .fails(.damaged)) { exchange, range in
      exchange.part(range, saying: "bytes \(range.lowerBound)-\(range.upperBound - 1)/999999999")
    },
    rest("a part has more bytes than it says", .fails(.damaged)) { exchange, range in
      exchange.part(
        range, saying: "bytes \(range.lowerBound)-\(range.lowerBound)/\(exchange.content.count)")
    },
    rest("a part has other bytes, once", times: 2, .succeeds) { exchange, range in
      exchange.part(range, bytes: [UInt8](repeating: 7, count: range.count))
    },
    HostileCase("it sends a part though none was asked for", .fails(.server)) { exchange in
      exchange.part(0..<1000)
    },
    HostileCase("it says that there is no such part, once", times: 2, .succeeds) { exchange in
      exchange.count == 1 ? breakHalfway(exchange) : exchange.status(416)
    },
    rest("a part comes in smaller parts", times: 20, .succeeds) { exchange, range in
      exchange.part(range.lowerBound..<min(range.lowerBound + 10_000, range.upperBound))
    },
  ]
}
