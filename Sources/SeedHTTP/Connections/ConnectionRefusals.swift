import SeedSystem

/// Why a connection was not taken, or was ended before its request was answered.
package enum ConnectionRefusal: String, CaseIterable, Sendable {
  /// Its address, or its IPv6 network, had as many as one may have.
  case address
  /// Places were short, and its address, or its IPv6 network, had its share of them.
  case share
  /// The process could open no more files.
  case descriptors
  /// It came while the server was ending.
  case ending
  /// It was idle, and its place was needed.
  case crowd
  /// Its request's head was refused.
  case head
  /// Its client was too slow: to send a head, or to take a response, of which more is demanded while places are short.
  case timeout

  /// By a line of libmicrohttpd's log: the library refuses these by itself and tells nobody else.
  init?(logged line: String) {
    let beginnings: [(String, Self)] = [
      ("Hit process or system resource limit", .descriptors),
      // Of a head: requests with a body never get so far.
      ("Error processing request (HTTP response code is", .head),
    ]
    guard let found = beginnings.first(where: { line.hasPrefix($0.0) }) else { return nil }
    self = found.1
  }
}

/// How many connections were refused, by reason. A crowd makes some ten thousand a second, for which a lock is cheap.
final class ConnectionRefusals: Sendable {
  private let counts = Mutex<[ConnectionRefusal: Int]>([:])

  func count(_ reason: ConnectionRefusal, _ number: Int = 1) {
    guard number > 0 else { return }
    counts.withLock { $0[reason, default: 0] += number }
  }

  var all: [ConnectionRefusal: Int] { counts.withLock { $0 } }
}
