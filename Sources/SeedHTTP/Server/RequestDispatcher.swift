internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// What the daemon's threads share: the handler, the connections and the count of requests in work.
final class RequestDispatcher: Sendable {
  let connections: ConnectionTable
  private let handler: @Sendable (HTTPRequest) -> HTTPResponse
  private let log: @Sendable (String) -> Void
  private let observe: (@Sendable (HTTPExchange) -> Void)?
  private let requestsPerConnection: Int
  private let inWork = DispatchGroup()
  private let ending = Atomic(false)

  init(
    _ configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) {
    connections = ConnectionTable(configuration)
    log = configuration.log
    observe = configuration.observe
    requestsPerConnection = configuration.requestsPerConnection
    self.handler = handler
  }

  /// Whether a new connection from there may stay.
  func accepts(_ address: IPAddress?) -> Bool { !isEnding && connections.admits(address) }

  private var isEnding: Bool { ending.load(ordering: .acquiring) }

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
  func advance(_ work: RequestInWork, on connection: OpaquePointer, head: () -> RequestHead) -> Bool {
    if let admitted = work.request, work.isAdmitted { return answer(admitted, work, on: connection) }
    let head = head()
    let request = HTTPRequest(
      HTTPMethod(head.method), head.target, headers: head.headers,
      remoteAddress: remoteAddress(of: connection))
    work.begin(request)
    do {
      try RequestGuard.check(head)
    } catch {
      return send(error.response, to: work, on: connection)
    }
    work.admit(in: inWork)
    // Between the calls libmicrohttpd would send "100 Continue", though there is nothing to continue with.
    return head.headers["Expect"] == nil || answer(request, work, on: connection)
  }

  private func answer(_ request: HTTPRequest, _ work: RequestInWork, on connection: OpaquePointer) -> Bool {
    send(handler(request), to: work, on: connection)
  }

  private func send(_ response: HTTPResponse, to work: RequestInWork, on connection: OpaquePointer) -> Bool {
    let isLast = isEnding || work.number >= requestsPerConnection
    work.answer(with: response)
    if let prepared = PreparedResponse(response, ending: isLast) { return prepared.queue(on: connection) }
    log(
      "a response with status \(response.status) cannot be sent: bad header, bad file range or no descriptor left"
    )
    work.answer(with: .unusable)
    return PreparedResponse(.unusable, ending: isLast)?.queue(on: connection) ?? false
  }

  /// Notes that a request's answer went out, or was broken off.
  func end(_ work: RequestInWork, completed: Bool) {
    work.client.enter(.idle)
    guard let observe, let exchange = work.exchange(completed: completed) else { return }
    observe(exchange)
  }
}

extension ConnectionTable {
  /// Connections that one browser may well open at once.
  private static let leastPerAddress = 16

  fileprivate convenience init(_ configuration: HTTPServerConfiguration) {
    let patience = Patience(
      headSeconds: configuration.headTimeoutSeconds, idleSeconds: configuration.idleTimeoutSeconds,
      floorBytesPerSecond: configuration.floorBytesPerSecond,
      floorWindowSeconds: configuration.floorWindowSeconds)
    self.init(
      patience: patience,
      perAddressLimit: configuration.perAddressLimit
        ?? max(Self.leastPerAddress, configuration.connectionLimit / 4),
      exempt: configuration.trustedProxies)
  }
}
