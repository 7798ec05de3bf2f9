/// The request that a connection is at, from its first line to the last byte of its answer.
///
/// A connection has one at a time, and uses this one for all. Only its connection's thread has it.
final class RequestInWork {
  let client: ClientConnection
  /// Which one it is on its connection, from 1.
  private(set) var number = 0
  /// The raw target, copied before libmicrohttpd cuts it to pieces.
  private(set) var target: [UInt8] = []
  private(set) var step = Step.reading
  private var request: HTTPRequest?
  private var answer: PreparedResponse?
  private var isHead = false
  private var agent = 0
  private var wasAdmitted = false
  private var start: UInt64 = 0

  /// What comes next.
  enum Step {
    /// The head is not complete.
    case reading
    /// The handler has to be asked.
    case admitted(HTTPRequest)
    /// This goes out when the request is complete.
    case answered(PreparedResponse)
    /// It is out.
    case sent
  }

  init(on client: ClientConnection) { self.client = client }

  /// A request's first line was read.
  func begin(_ target: LentText) {
    self.target.removeAll(keepingCapacity: true)
    self.target.append(contentsOf: target)
    (request, answer, step, wasAdmitted) = (nil, nil, .reading, false)
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

  /// The guard has nothing against it.
  func admit(_ next: Step) { (step, wasAdmitted) = (next, true) }

  /// That is sent from now on.
  func send(_ answer: PreparedResponse) {
    self.answer = answer
    step = .sent
    client.enter(.sending)
  }

  /// What there is to tell of it.
  func measurement(isComplete: Bool) -> HTTPMeasurement {
    HTTPMeasurement(
      mark: answer?.mark ?? 0, status: answer?.status ?? 0,
      bodyBytes: isHead ? 0 : answer?.bodyBytes ?? 0, isComplete: isComplete, agent: agent,
      nanoseconds: monotonicNanoseconds() - start)
  }

  /// That, with what was asked; nil if no copy was made of it.
  func exchange(_ measurement: HTTPMeasurement) -> HTTPExchange? {
    guard let request else { return nil }
    return HTTPExchange(request: request, isAdmitted: wasAdmitted, measurement: measurement)
  }

  /// Lets go of all that it needed.
  func end() {
    (request, answer, step) = (nil, nil, .reading)
    client.enter(.idle)
  }
}
