/// Measurements of a finished exchange, without copied bytes.
package struct HTTPMeasurement: Sendable {
  /// The response's mark; nil if the server responded without the handler.
  package let mark: (any Sendable)?
  /// The response's status; 0 without a response.
  package let status: Int
  /// Announced bytes of the body.
  package let bodyBytes: Int64
  /// Bytes of the body that the client received. If the response broke off, those acknowledged; 0 for a small one.
  package var sentBytes: Int64
  /// Whether the body includes the file's start or end: a download in parts has one of each.
  package var isFirstPart = false
  package var isLastPart = false
  package let isComplete: Bool
  /// The label of the client's User-Agent; 0 without one.
  package let agent: Int
  /// Nanoseconds from the end of the request's head to the response's last byte.
  package let nanoseconds: UInt64

  package init(
    mark: (any Sendable)?, status: Int, bodyBytes: Int64, isComplete: Bool, agent: Int, nanoseconds: UInt64
  ) {
    (self.mark, self.status, self.bodyBytes) = (mark, status, bodyBytes)
    (self.isComplete, self.agent, self.nanoseconds) = (isComplete, agent, nanoseconds)
    sentBytes = isComplete ? bodyBytes : 0
  }
}
