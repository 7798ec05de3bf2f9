import SeedClient
import Support
import Testing

/// A hostile behaviour and the expected outcome on a device.
struct HostileCase: Sendable, CustomTestStringConvertible {
  enum Publication { case delta, both, snapshot, bomb }

  enum Outcome: Equatable {
    /// The new data arrives.
    case succeeds
    /// The old data stays, with this error.
    case fails(SeedError.Code)
  }

  let behaviour: HostileBehaviour
  let publication: Publication
  let outcome: Outcome
  var testDescription: String { behaviour.name }

  init(
    _ name: String, at part: String = "snapshot-1.", times: Int = .max,
    of publication: Publication = .snapshot,
    _ outcome: Outcome, _ answer: @escaping @Sendable (HostileExchange) -> Bool
  ) {
    behaviour = HostileBehaviour(name, at: part, times: times, answer)
    self.publication = publication
    self.outcome = outcome
  }

  private static let all = connections + lengths + statuses + parts + contents + metadata + deltas
  /// A quick run tries every fourth.
  static let tried = Stage.pick(
    quick: stride(from: 0, to: all.count, by: 4).map { all[$0] }, full: all, deep: all)

  private static let some = 20_000

  // MARK: Connections

  private static let connections = [
    HostileCase("it hangs up before it answers", .fails(.network)) { _ in false },
    HostileCase("it hangs up before it answers, once", times: 1, .succeeds) { _ in false },
    HostileCase("it resets the connection at the first byte", .fails(.network)) { exchange in
      exchange.connection.reset()
      return false
    },
    HostileCase("it resets the connection on the way, once", times: 1, .succeeds) { exchange in
      exchange.head("200 OK", length: exchange.content.count)
      exchange.connection.send(exchange.content.prefix(some))
      exchange.connection.reset()
      return false
    },
    HostileCase("it ends on the way, once", times: 1, .succeeds) { breakHalfway($0) },
    HostileCase("it ends on the way without having said a length, once", times: 1, .succeeds) { exchange in
      exchange.head("200 OK", length: nil)
      exchange.connection.send(exchange.content.prefix(some))
      return false
    },
    HostileCase("it sends one byte more each time", .fails(.network)) { exchange in
      let start = exchange.request.range?.lowerBound ?? 0
      exchange.head(
        start > 0 ? "206 Partial Content" : "200 OK", length: exchange.content.count - start,
        "Content-Range: bytes \(start)-\(exchange.content.count - 1)/\(exchange.content.count)")
      exchange.connection.send(exchange.content[start..<start + 1])
      return false
    },
    HostileCase("it stalls on the way, once", times: 1, .succeeds) { exchange in
      exchange.head("200 OK", length: exchange.content.count)
      exchange.connection.send(exchange.content.prefix(some))
      return exchange.stall()
    },
    HostileCase("it stalls at the first byte", .fails(.timedOut)) { exchange in
      exchange.head("200 OK", length: exchange.content.count)
      return exchange.stall()
    },
    HostileCase("it never answers", .fails(.timedOut)) { $0.stall() },
    HostileCase("it drips", .fails(.timedOut)) { exchange in
      exchange.head("200 OK", length: exchange.content.count)
      exchange.connection.send(exchange.content.prefix(50))
      return exchange.stall()
    },
    HostileCase("it speaks another protocol", .fails(.network)) { exchange in
      exchange.connection.send("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
      return false
    },
    HostileCase("it sends a head without an end", .fails(.network)) { exchange in
      exchange.connection.send("HTTP/1.1 200 OK\r\n")
      return exchange.sendForever(Array("X-Flood: \(String(repeating: "x", count: 1000))\r\n".utf8))
    },
    HostileCase("it announces early hints", .succeeds) { exchange in
      exchange.connection.send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
      return exchange.serve()
    },
  ]

  // MARK: Lengths

  private static let lengths = [
    HostileCase("its length is too short", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: 1000) && exchange.connection.send(exchange.content)
    },
    HostileCase("its length is too long", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: exchange.content.count + 1000)
      exchange.connection.send(exchange.content)
      return false
    },
    HostileCase("its length is negative", .fails(.network)) { exchange in
      exchange.connection.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")
      exchange.connection.reset()
      return false
    },
    HostileCase("it has an empty body", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: 0)
    },
    HostileCase("it has no body and no length", .fails(.network)) { exchange in
      exchange.head("200 OK", length: nil)
      return false
    },
    HostileCase("it sends without an end", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: nil)
      return exchange.sendForever([UInt8](repeating: 7, count: 10_000))
    },
    HostileCase("its chunks have no end", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: nil, "Transfer-Encoding: chunked")
      return exchange.sendForever(
        Array("2710\r\n".utf8) + [UInt8](repeating: 7, count: 10_000) + Array("\r\n".utf8))
    },
    HostileCase("its last chunk never comes", .succeeds) { exchange in
      exchange.head("200 OK", length: nil, "Transfer-Encoding: chunked")
      exchange.connection.send(
        Array("\(String(exchange.content.count, radix: 16))\r\n".utf8) + exchange.content + Array("\r\n".utf8)
      )
      return exchange.stall()
    },
    HostileCase("its chunks break off, once", times: 1, .succeeds) { exchange in
      exchange.head("200 OK", length: nil, "Transfer-Encoding: chunked")
      exchange.connection.send(Array("ffff\r\n".utf8) + exchange.content.prefix(some))
      return false
    },
    HostileCase("its error has a body without an end", .fails(.missingFile)) { exchange in
      exchange.head("404 Not Found", length: nil)
      return exchange.sendForever([UInt8](repeating: 7, count: 10_000))
    },
  ]
}
