/// What became of a request, without a copy of any of its bytes.
package struct HTTPMeasurement: Sendable {
  /// The mark of the response; 0 for what the server answered itself.
  package let mark: Int
  /// The answer's status; 0 if there was none.
  package let status: Int
  /// Bytes of the answer's body, as they were announced.
  package let bodyBytes: Int64
  /// Whether the answer went out whole.
  package let isComplete: Bool
  /// The label of the client's User-Agent; 0 without one.
  package let agent: Int
  /// Nanoseconds from the request line to the answer's last byte.
  package let nanoseconds: UInt64

  /// A measurement of these parts.
  package init(
    mark: Int, status: Int, bodyBytes: Int64, isComplete: Bool, agent: Int, nanoseconds: UInt64
  ) {
    self.mark = mark
    self.status = status
    self.bodyBytes = bodyBytes
    self.isComplete = isComplete
    self.agent = agent
    self.nanoseconds = nanoseconds
  }
}

/// A request and what became of it.
package struct HTTPExchange: Sendable {
  /// What was asked for. If it was not admitted, it holds whatever arrived.
  package let request: HTTPRequest
  /// Whether a handler may have seen it.
  package let isAdmitted: Bool
  /// What became of it.
  package let measurement: HTTPMeasurement
}
