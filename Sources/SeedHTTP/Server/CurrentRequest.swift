/// The request that a connection is at, from its first line to the last byte of its response.
///
/// A connection has one at a time, and uses this one for all. Only the connection's thread touches it.
final class CurrentRequest {
  /// What the next call of libmicrohttpd has to do.
  enum Step {
    /// Read the head.
    case head
    /// Call the handler.
    case handler(HTTPRequest)
    /// Send what was kept.
    case kept(PreparedResponse)
    /// Nothing: the response was queued.
    case sent
  }

  let client: ClientConnection
  /// Counts the connection's requests, from 1.
  private(set) var number = 0
  /// The raw target, copied before libmicrohttpd cuts it to pieces.
  private(set) var target: [UInt8] = []
  private(set) var step = Step.head
  private var request: HTTPRequest?
  private var response: PreparedResponse?
  private var isHead = false
  private var agent = 0
  private var wasAdmitted = false
  private var start: UInt64 = 0

  init(on client: ClientConnection) { self.client = client }

  /// A request's first line was read.
  func begin(_ target: HeadText) {
    self.target.removeAll(keepingCapacity: true)
    self.target.append(contentsOf: target)
    (request, response, step, wasAdmitted) = (nil, nil, .head, false)
    number += 1
    start = monotonicNanoseconds()
  }

  /// The head is complete; `request` is a copy of it, where somebody needs one.
  func finishHead(isHead: Bool, agent: Int, _ request: HTTPRequest?) {
    self.isHead = isHead
    self.agent = agent
    self.request = request
    client.enter(.handling)
  }

  /// The guard admitted it.
  func admit(_ next: Step) { (step, wasAdmitted) = (next, true) }

  /// The response is being sent.
  func send(_ response: PreparedResponse) {
    self.response = response
    step = .sent
    client.enter(.sending)
  }

  func measurement(isComplete: Bool) -> HTTPMeasurement {
    HTTPMeasurement(
      mark: response?.mark ?? 0, status: response?.status ?? 0,
      bodyBytes: isHead ? 0 : response?.bodyBytes ?? 0, isComplete: isComplete, agent: agent,
      nanoseconds: monotonicNanoseconds() - start)
  }

  /// Nil if no copy was made of the request.
  func exchange(_ measurement: HTTPMeasurement) -> HTTPExchange? {
    request.map { HTTPExchange(request: $0, isAdmitted: wasAdmitted, measurement: measurement) }
  }

  /// Releases all that it needed.
  func end() {
    (request, response, step) = (nil, nil, .head)
    client.enter(.idle)
  }
}
