import SeedSystem

/// The reason for refusing a connection, or for ending it before its response.
package enum ConnectionRefusal: String, CaseIterable, Sendable {
  /// Its address or IPv6 network had the maximum number of connections.
  case address
  /// The server was crowded, and its address or IPv6 network had its share of connections.
  case share
  case descriptors
  case ending
  /// It was idle, and the server was crowded.
  case crowd
  case head
  /// Its client sent a head or received a response too slowly. The limits are stricter in a crowd.
  case timeout

  /// Parses a line of libmicrohttpd's log, the only report of these refusals.
  init?(logged line: String) {
    let beginnings: [(String, Self)] = [
      ("Hit process or system resource limit", .descriptors),
      // A rejected head: requests with a body never get this far.
      ("Error processing request (HTTP response code is", .head),
    ]
    guard let found = beginnings.first(where: { line.hasPrefix($0.0) }) else { return nil }
    self = found.1
  }
}

/// Counts refused connections by reason. A crowd causes about ten thousand a second, for which a lock is cheap enough.
final class ConnectionRefusals: Sendable {
  private let counts = Mutex<[ConnectionRefusal: Int]>([:])

  func count(_ reason: ConnectionRefusal, _ number: Int = 1) {
    guard number > 0 else { return }
    counts.withLock { $0[reason, default: 0] += number }
  }

  var all: [ConnectionRefusal: Int] { counts.withLock { $0 } }
}
