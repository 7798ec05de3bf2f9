import SeedClient
import Support

extension HostileCase {
  /// Sends other bytes in a valid response.
  private static func send(_ bytes: [UInt8], _ exchange: HostileExchange, _ field: String = "X-Nothing: 1")
    -> Bool
  {
    exchange.head("200 OK", length: bytes.count, field) && exchange.connection.send(bytes)
  }

  /// Sends another file, whose path contains `part`, in a valid response.
  private static func swap(_ part: String, _ exchange: HostileExchange) -> Bool {
    send(exchange.files.first { $0.key.contains(part) }?.value ?? [], exchange)
  }

  private static let page = Array("<!doctype html><title>Sign in to the train's network</title>".utf8)

  // MARK: Contents

  static let contents = [
    HostileCase("one bit is another", .fails(.damaged)) { exchange in
      var bytes = exchange.content
      bytes[bytes.count / 2] ^= 1
      return send(bytes, exchange)
    },
    HostileCase("the last bytes are missing", .fails(.damaged)) { exchange in
      send(Array(exchange.content.dropLast(100)), exchange)
    },
    HostileCase("there are more bytes than were signed", .fails(.damaged)) { exchange in
      send(exchange.content + [0], exchange)
    },
    HostileCase("an old snapshot has the new one's name", at: "snapshot-2.", of: .both, .succeeds) {
      exchange in
      swap("snapshot-1.", exchange)
    },
    HostileCase("the metadata has the snapshot's name", .fails(.damaged)) { swap("timestamp", $0) },
    HostileCase("it is coded once more, though nobody asked for that", .fails(.server)) { exchange in
      send(exchange.content, exchange, "Content-Encoding: gzip")
    },
    HostileCase("a web page comes in the snapshot's place", .fails(.server)) { exchange in
      send(page, exchange, "Content-Type: text/html; charset=utf-8")
    },
    HostileCase("it expands to far more than was signed", at: "no-such-file", of: .bomb, .fails(.damaged)) {
      $0.serve()
    },
  ]

  // MARK: Metadata

  static let metadata = [
    HostileCase("a web page comes in the metadata's place", at: "timestamp", .fails(.server)) { exchange in
      send(page, exchange, "Content-Type: text/html")
    },
    HostileCase("the metadata breaks off", at: "timestamp", .fails(.untrusted)) { exchange in
      send(Array(exchange.content.dropLast(20)), exchange)
    },
    HostileCase("the metadata has no end", at: "timestamp", .fails(.damaged)) { exchange in
      exchange.head("200 OK", length: nil)
      return exchange.sendForever([UInt8](repeating: 0x20, count: 10_000))
    },
    HostileCase("the metadata never comes", at: "timestamp", .fails(.timedOut)) { $0.stall() },
    HostileCase("nothing is allowed", at: "", .fails(.accessDenied)) { $0.status(403) },
    HostileCase("the next root is no root", at: "2.root", .fails(.untrusted)) { send(Array("{}".utf8), $0) },
    HostileCase("the next root is the one before", at: "2.root", .fails(.untrusted)) { swap("1.root", $0) },
    HostileCase("a busy server is not one without a next root", at: "2.root", .fails(.serverBusy)) {
      $0.status(429, "Retry-After: 600")
    },
    HostileCase("the TUF snapshot role is an earlier one", at: "snapshot.json", .fails(.untrusted)) {
      swap("1.snapshot.json", $0)
    },
    HostileCase("the series' role is the targets role", at: "transit-2.json", .fails(.untrusted)) {
      swap("targets.json", $0)
    },
    HostileCase("the metadata breaks off, once", at: "timestamp", times: 1, .succeeds) { exchange in
      exchange.head("200 OK", length: exchange.content.count)
      exchange.connection.send(exchange.content.dropLast(20))
      return false
    },
  ]

  // MARK: Deltas

  static let deltas = [
    HostileCase("a delta is missing and no snapshot helps", at: "delta", of: .delta, .fails(.missingFile)) {
      $0.status(404)
    },
    HostileCase("a delta is missing, and there is a snapshot", at: "delta", of: .both, .succeeds) {
      $0.status(404)
    },
    HostileCase("a delta is damaged, and there is a snapshot", at: "delta", of: .both, .succeeds) {
      exchange in
      send(exchange.content.reversed(), exchange)
    },
    HostileCase(
      "a delta is forbidden for now, which is not missing", at: "delta", of: .both, .fails(.serverBusy)
    ) {
      $0.status(429, "Retry-After: 100")
    },
    HostileCase("a delta and the snapshot are damaged", at: "targets", of: .both, .fails(.damaged)) {
      exchange in
      send(exchange.content.reversed(), exchange)
    },
    HostileCase("the snapshot has the delta's name", at: "delta", of: .delta, .fails(.damaged)) {
      swap("snapshot-1.", $0)
    },
  ]
}
