/// A connection's request, from its first line to the last byte of its response. Reused for all requests of a
/// connection, and accessed only by the connection's thread.
final class CurrentRequest {
  enum Step {
    case head
    case handler(HTTPRequest, gzip: Bool)
    case kept(PreparedResponse)
    case sent
    /// The refusal was written to the socket; the connection must be dropped.
    case refused
  }

  let client: ClientConnection
  /// The raw target, copied before libmicrohttpd modifies it.
  private(set) var target: [UInt8] = []
  var step = Step.head
  private(set) var request: HTTPRequest?
  private var response: PreparedResponse?
  private var isHead = false
  private var agent: (any Sendable)?
  /// The time at which the head was complete or rejected.
  private var start: UInt64?
  /// The number of bytes that the client had acknowledged before a large response.
  private var acknowledgedBefore: UInt64?

  init(on client: ClientConnection) { self.client = client }

  func begin(_ target: HeadText) {
    self.target.removeAll(keepingCapacity: true)
    self.target.append(contentsOf: target)
    (request, response, step, start) = (nil, nil, .head, nil)
  }

  /// False while the head is incomplete. The time until then is not measured, because it depends on the client.
  var hasHead: Bool { start != nil }

  func finishHead(isHead: Bool, agent: (any Sendable)?, _ request: HTTPRequest?) {
    (self.isHead, self.agent, self.request) = (isHead, agent, request)
    start = monotonicNanoseconds()
    client.enter(.handling)
  }

  func send(_ response: PreparedResponse) {
    self.response = response
    step = .sent
    // Measured only for large bodies: small ones are sent at once.
    acknowledgedBefore = response.bodyBytes >= Self.largeBytes && !isHead ? client.acknowledgedBytes : nil
    client.enter(.sending)
  }

  func measurement(isComplete: Bool) -> HTTPMeasurement {
    var measurement = HTTPMeasurement(
      mark: response?.mark, status: response?.status ?? 0, bodyBytes: isHead ? 0 : response?.bodyBytes ?? 0,
      isComplete: isComplete, agent: agent, nanoseconds: start.map { monotonicNanoseconds() - $0 } ?? 0)
    if !isComplete { measurement.sentBytes = acknowledgedOfBody(measurement.bodyBytes) }
    measurement.isLastPart = response?.isLastPart ?? false
    return measurement
  }

  /// Minimum size in bytes of a body for which acknowledged bytes are measured.
  private static let largeBytes: Int64 = 64 * 1024

  private func acknowledgedOfBody(_ bodyBytes: Int64) -> Int64 {
    guard let before = acknowledgedBefore, let response else { return 0 }
    let acknowledged = Int64(clamping: client.acknowledgedBytes) - Int64(clamping: before)
    return min(bodyBytes, max(0, acknowledged - response.headBytes))
  }

  func end() {
    (request, response, step, acknowledgedBefore) = (nil, nil, .head, nil)
    client.enter(.idle)
  }
}
