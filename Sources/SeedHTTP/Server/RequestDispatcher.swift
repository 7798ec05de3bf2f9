internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// What the daemon's threads share: the handler and the count of requests in work.
final class RequestDispatcher: Sendable {
  private let handler: @Sendable (HTTPRequest) -> HTTPResponse
  private let log: @Sendable (String) -> Void
  private let inWork = DispatchGroup()
  private let ending = Atomic(false)

  init(
    log: @escaping @Sendable (String) -> Void, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) {
    self.log = log
    self.handler = handler
  }

  /// Whether a new connection may stay.
  var acceptsConnections: Bool { !ending.load(ordering: .acquiring) }

  /// From now on connections are turned away and end with the response that they wait for; false if it was
  /// so already.
  ///
  /// Not MHD_quiesce_daemon: in 0.9.75 it races with its own workers, and the loser aborts the process.
  func beginEnding() -> Bool { !ending.exchange(true, ordering: .acquiringAndReleasing) }

  /// Waits until no admitted request is unanswered, at most until `deadline`.
  func waitUntilIdle(deadline: DispatchTime) { _ = inWork.wait(timeout: deadline) }

  /// Hands on a line of libmicrohttpd's with control characters made visible.
  func report(_ line: UnsafePointer<CChar>) {
    let text = String(cString: line).unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    log(String(String.UnicodeScalarView(text)))
  }

  /// Takes a request one step further; false if its connection must be dropped.
  ///
  /// libmicrohttpd calls at the end of the head and again at the end of the request, and closes a connection
  /// that is answered at the first call. So a refusal goes out at once, and everything else at the second.
  func advance(_ request: RequestInWork, on connection: OpaquePointer, head: () -> RequestHead) -> Bool {
    if let admitted = request.admitted { return answer(admitted, on: connection) }
    let head = head()
    do {
      try RequestGuard.check(head)
    } catch {
      return send(error.response, on: connection)
    }
    let admitted = HTTPRequest(
      HTTPMethod(head.method), head.target, headers: head.headers,
      remoteAddress: remoteAddress(of: connection))
    request.admit(admitted, in: inWork)
    // Between the calls libmicrohttpd would send "100 Continue", though there is nothing to continue with.
    return admitted.headers["Expect"] == nil || answer(admitted, on: connection)
  }

  private func answer(_ request: HTTPRequest, on connection: OpaquePointer) -> Bool {
    send(handler(request), on: connection)
  }

  private func send(_ response: HTTPResponse, on connection: OpaquePointer) -> Bool {
    let isLast = !acceptsConnections
    if let prepared = PreparedResponse(response, ending: isLast) { return prepared.queue(on: connection) }
    log(
      "a response with status \(response.status) cannot be sent: bad header, bad file range or no descriptor left"
    )
    return PreparedResponse(.unusable, ending: isLast)?.queue(on: connection) ?? false
  }
}

/// One request between its first line and the last byte of its answer. Only its connection's thread has it.
final class RequestInWork {
  let target: RawTarget
  private(set) var admitted: HTTPRequest?
  private var group: DispatchGroup?

  init(target: RawTarget) { self.target = target }

  /// From here until its end the request is waited for.
  func admit(_ request: HTTPRequest, in group: DispatchGroup) {
    admitted = request
    self.group = group
    group.enter()
  }

  deinit { group?.leave() }
}
