/// A finished exchange in numbers, without a copy of any of its bytes.
package struct HTTPMeasurement: Sendable {
  /// The mark of the response; 0 where the server answered by itself.
  package let mark: Int
  /// The response's status; 0 if there was none.
  package let status: Int
  /// Bytes of the response's body, as announced.
  package let bodyBytes: Int64
  /// Bytes of the body that the client got. Where a response broke off, what its system acknowledged; 0 for a small one.
  package var sentBytes: Int64
  /// Which end of a file the body has: a download in parts begins with one part, and ends with one.
  package var isFirstPart = false
  package var isLastPart = false
  /// Whether the response was sent to its end.
  package let isComplete: Bool
  /// The label of the client's User-Agent; 0 without one.
  package let agent: Int
  /// Nanoseconds from the end of the request's head to the response's last byte.
  package let nanoseconds: UInt64

  package init(mark: Int, status: Int, bodyBytes: Int64, isComplete: Bool, agent: Int, nanoseconds: UInt64) {
    (self.mark, self.status, self.bodyBytes) = (mark, status, bodyBytes)
    (self.isComplete, self.agent, self.nanoseconds) = (isComplete, agent, nanoseconds)
    sentBytes = isComplete ? bodyBytes : 0
  }
}

/// A request with the measurement of its exchange.
package struct HTTPExchange: Sendable {
  /// The request. If it was not admitted, its parts are unchecked.
  package let request: HTTPRequest
  /// Whether the guard admitted it.
  package let isAdmitted: Bool
  package let measurement: HTTPMeasurement
}
