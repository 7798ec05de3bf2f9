/// Limits of heads, and the memory of a connection from which they follow.
///
/// libmicrohttpd keeps ``memoryBytes`` per connection, even if it is idle. A request's head with its fields and the head
/// of the response must fit, or the connection closes without a response. `HeadSizeTests` checks the sums.
enum HeadSize {
  /// With the rest of a connection's memory, about 8 KiB.
  static let memoryBytes = 7_040
  /// Bytes of a request's head, from the method to the empty line, and ``fieldBytes`` more for each field.
  static let limit = 5_700
  /// libmicrohttpd's memory for a field beside its text.
  static let fieldBytes = 64
  static let fieldLimit = 36
  /// Bytes of a target. RFC 9112, 3, recommends 8,000 for a request line, but the longest target here has under 300.
  static let targetLimit = 2_000
  /// Bytes of a response's head, with an estimate of the fields that libmicrohttpd adds.
  static let responseLimit = 900
}
