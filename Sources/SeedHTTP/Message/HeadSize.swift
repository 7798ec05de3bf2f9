/// The limits of heads, and the memory of a connection from which these limits follow.
///
/// libmicrohttpd keeps ``memoryBytes`` per connection, even if it is idle. The heads of the request and the response
/// must fit into this memory, or the connection closes without a response. `HeadSizeTests` checks the sums.
enum HeadSize {
  /// About 8 KiB together with the other memory of a connection.
  static let memoryBytes = 7_040
  /// Bytes of a request's head, from the method to the empty line. Each field counts ``fieldBytes`` more.
  static let limit = 5_700
  /// The memory that libmicrohttpd takes for a field in addition to its text.
  static let fieldBytes = 64
  static let fieldLimit = 36
  /// Bytes of a target. RFC 9112, 3, recommends 8,000 for a request line, but the front's targets have under 300.
  static let targetLimit = 2_000
  /// Bytes of a response's head, with an estimate of the fields that libmicrohttpd adds.
  static let responseLimit = 900
}
