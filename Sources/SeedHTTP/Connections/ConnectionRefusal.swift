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
    if line.hasPrefix("Hit process or system resource limit") {
      self = .descriptors
    } else if line.hasPrefix("Error processing request (HTTP response code is") {
      // A rejected head: requests with a body never get this far.
      self = .head
    } else {
      return nil
    }
  }
}
