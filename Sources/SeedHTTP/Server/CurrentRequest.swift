/// The request that a connection is at, from its first line to the last byte of its response. Each connection has
/// one, for one request after the other, and only its thread touches it.
final class CurrentRequest {
  enum Step {
    case head
    case handler(HTTPRequest)
    case kept(PreparedResponse)
    case sent
    /// Its refusal went to the socket, and the connection is to be dropped.
    case refused
  }

  let client: ClientConnection
  private(set) var number = 0
  /// The raw target, copied before libmicrohttpd cuts it to pieces.
  private(set) var target: [UInt8] = []
  private(set) var step = Step.head
  private var request: HTTPRequest?
  private var response: PreparedResponse?
  private var isHead = false
  private var agent = 0
  private var wasAdmitted = false
  /// When its head was whole, or was refused before it was.
  private var start: UInt64?
  /// What the client had acknowledged before a large response.
  private var acknowledgedBefore: UInt64?

  init(on client: ClientConnection) { self.client = client }

  func begin(_ target: HeadText) {
    self.target.removeAll(keepingCapacity: true)
    self.target.append(contentsOf: target)
    (request, response, step, wasAdmitted, start) = (nil, nil, .head, false, nil)
    number += 1
  }

  /// False while its head is under way: until then it is the client's time that passes, and nothing was asked.
  var hasHead: Bool { start != nil }

  func finishHead(isHead: Bool, agent: Int, _ request: HTTPRequest?) {
    (self.isHead, self.agent, self.request) = (isHead, agent, request)
    start = monotonicNanoseconds()
    client.enter(.handling)
  }

  func admit(_ next: Step) { (step, wasAdmitted) = (next, true) }

  func send(_ response: PreparedResponse) {
    self.response = response
    step = .sent
    // Asked only where it may matter: most responses are small, and go out at once.
    acknowledgedBefore = response.bodyBytes >= Self.largeBytes && !isHead ? client.acknowledgedBytes : nil
    client.enter(.sending)
  }

  func refuse(_ response: PreparedResponse) {
    start = start ?? monotonicNanoseconds()
    send(response)
    step = .refused
  }

  func measurement(isComplete: Bool) -> HTTPMeasurement {
    var measurement = HTTPMeasurement(
      mark: response?.mark ?? 0, status: response?.status ?? 0,
      bodyBytes: isHead ? 0 : response?.bodyBytes ?? 0, isComplete: isComplete, agent: agent,
      nanoseconds: start.map { monotonicNanoseconds() - $0 } ?? 0)
    if !isComplete { measurement.sentBytes = acknowledgedOfBody(measurement.bodyBytes) }
    measurement.isFirstPart = response?.isFirstPart ?? false
    measurement.isLastPart = response?.isLastPart ?? false
    return measurement
  }

  /// Bytes from which on it is measured how much of a body arrived.
  private static let largeBytes: Int64 = 64 * 1024

  private func acknowledgedOfBody(_ bodyBytes: Int64) -> Int64 {
    guard let before = acknowledgedBefore, let response else { return 0 }
    let acknowledged = Int64(clamping: client.acknowledgedBytes) - Int64(clamping: before)
    return min(bodyBytes, max(0, acknowledged - response.headBytes))
  }

  func exchange(_ measurement: HTTPMeasurement) -> HTTPExchange? {
    request.map { HTTPExchange(request: $0, isAdmitted: wasAdmitted, measurement: measurement) }
  }

  func end() {
    (request, response, step, acknowledgedBefore) = (nil, nil, .head, nil)
    client.enter(.idle)
  }
}
