/// A request and what became of it.
package struct HTTPExchange: Sendable {
  /// What was asked for. If it was not admitted, it holds whatever arrived.
  package let request: HTTPRequest
  /// Whether a handler saw it.
  package let isAdmitted: Bool
  /// The answer's status; 0 if there was none.
  package let status: Int
  /// Bytes of the answer's body, as they were announced.
  package let bodyBytes: Int64
  /// Whether the answer went out whole.
  package let isComplete: Bool
  /// From the request line to the answer's last byte.
  package let duration: Duration
}
