internal import CMicroHTTPD
import SeedSystem

import struct Synchronization.Atomic

/// What the daemon's threads share: the handler, the connections and the answers that need no handler.
final class RequestDispatcher: Sendable {
  let connections: ConnectionTable
  let answers = AnswerCache()
  private let handler: @Sendable (HTTPRequest) -> HTTPResponse
  private let log: @Sendable (String) -> Void
  private let measure: (@Sendable (HTTPMeasurement) -> Void)?
  private let observe: (@Sendable (HTTPExchange) -> Void)?
  private let labelAgent: (@Sendable (UnsafeBufferPointer<UInt8>) -> Int)?
  private let dress: @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse
  private let requestsPerConnection: Int
  private let phase = Atomic(Phase.serving.rawValue)
  /// Begins anywhere, so that two processes hardly ever give the same.
  private let nextID = Atomic(UInt64.random(in: 0...UInt64.max / 2))

  /// How far the end has come.
  private enum Phase: UInt8 {
    case serving
    /// Each connection ends with the answer that it gets next; new ones are taken.
    case draining
    /// The same, and new connections are turned away.
    case ending
  }

  init(
    _ configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) {
    connections = ConnectionTable(configuration)
    log = configuration.log
    measure = configuration.measure
    observe = configuration.observe
    labelAgent = configuration.labelAgent
    dress = configuration.dress
    requestsPerConnection = configuration.requestsPerConnection
    self.handler = handler
  }

  /// Whether a new connection from there may stay.
  func accepts(_ address: IPAddress?) -> Bool { !hasReached(.ending) && connections.admits(address) }

  private func hasReached(_ reached: Phase) -> Bool { phase.load(ordering: .acquiring) >= reached.rawValue }

  /// From now on each connection ends with its next answer, and another one may take its place.
  func beginDraining() { phase.max(Phase.draining.rawValue, ordering: .acquiringAndReleasing) }

  /// From now on connections are turned away as well; false if it was so already.
  ///
  /// Not MHD_quiesce_daemon: in 0.9.75 it races with its own workers, and the loser aborts the process.
  func beginEnding() -> Bool {
    phase.exchange(Phase.ending.rawValue, ordering: .acquiringAndReleasing) != Phase.ending.rawValue
  }

  /// Waits until no request is unanswered or just on its way, at most for that time.
  func waitUntilQuiet(milliseconds: UInt64) {
    let deadline = monotonicMilliseconds() + milliseconds
    while monotonicMilliseconds() < deadline, connections.areBusy(at: monotonicMilliseconds()) {
      usleep(Self.idleCheckMicroseconds)
    }
  }

  private static let idleCheckMicroseconds: UInt32 = 2_000

  /// Hands on a line of libmicrohttpd's with control characters made visible.
  func report(_ line: UnsafePointer<CChar>) {
    let text = String(cString: line).unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    log(String(String.UnicodeScalarView(text)))
  }

  /// Takes a request one step further; false if its connection must be dropped.
  ///
  /// libmicrohttpd calls at the end of the head and again at the end of the request, and closes a connection
  /// that is answered at the first call. So a refusal goes out at once, and everything else at the second.
  func advance(
    _ work: RequestInWork, on connection: OpaquePointer, method: LentText, version: LentText
  ) -> Bool {
    switch work.step {
    case .reading:
      work.target.withUnsafeBufferPointer { target in
        finishHead(work, on: connection, RequestLine(method: method, target: target, version: version))
      }
    case .admitted(let request): ask(request, for: work, on: connection)
    case .answered(let answer): send(answer, to: work, on: connection)
    case .sent: true
    }
  }

  private func finishHead(_ work: RequestInWork, on connection: OpaquePointer, _ line: RequestLine) -> Bool {
    let head = HeadReader.read(connection)
    let isHead = line.method.isExactly("HEAD")
    let agent = label(head.fields)
    do {
      try RequestGuard.check(
        line, head.fields, accountsForEveryByte: head.accountsForEveryByte(with: line))
    } catch {
      let request = request(line, on: connection)
      work.finishHead(isHead: isHead, agent: agent, request)
      let answer = prepare(dress(error.response, request), to: request, ending: true)
      return answer.map { send($0, to: work, on: connection) } ?? false
    }
    admit(work, on: connection, line, isHead: isHead, agent: agent, head.fields)
    // Between the calls libmicrohttpd would send "100 Continue", though there is nothing to continue with.
    guard head.fields.expects else { return true }
    return advance(work, on: connection, method: line.method, version: line.version)
  }

  private func admit(
    _ work: RequestInWork, on connection: OpaquePointer, _ line: RequestLine, isHead: Bool, agent: Int,
    _ fields: FieldScan
  ) {
    let isPlain = !fields.hasConditions && (isHead || line.method.isExactly("GET")) && !isLast(work)
    if isPlain, let answer = answers.answer(to: line.target, gzip: fields.coding.prefersGzip) {
      work.finishHead(isHead: isHead, agent: agent, observe.map { _ in request(line, on: connection) })
      work.admit(.answered(answer))
    } else {
      let request = request(line, on: connection)
      work.finishHead(isHead: isHead, agent: agent, request)
      work.admit(.admitted(request))
    }
  }

  private func label(_ fields: FieldScan) -> Int {
    guard let labelAgent, let agent = fields.agent else { return 0 }
    return labelAgent(agent)
  }

  private func request(_ line: RequestLine, on connection: OpaquePointer) -> HTTPRequest {
    let headers = headers(of: connection)
    let sender = ForwardedAddress.of(
      headers.values(of: "X-Forwarded-For"), from: remoteAddress(of: connection),
      trusts: connections.isExempt)
    return HTTPRequest(
      HTTPMethod(line.method.text), line.target.text, headers: headers, remoteAddress: sender,
      id: nextID.add(1, ordering: .relaxed).newValue)
  }

  private func isLast(_ work: RequestInWork) -> Bool {
    hasReached(.draining) || work.number >= requestsPerConnection
  }

  private func ask(_ request: HTTPRequest, for work: RequestInWork, on connection: OpaquePointer) -> Bool {
    let generation = answers.generation
    let response = handler(request)
    let ending = isLast(work)
    guard let answer = prepare(response, to: request, ending: ending) else { return false }
    if response.isReusable, !ending, answer.status == response.status {
      let gzip = request.prefersGzip
      work.target.withUnsafeBufferPointer { target in
        answers.keep(answer, to: TargetGuard.originForm(of: target), gzip: gzip, of: generation)
      }
    }
    return send(answer, to: work, on: connection)
  }

  private func prepare(
    _ response: HTTPResponse, to request: HTTPRequest, ending: Bool
  ) -> PreparedResponse? {
    do throws(PreparedResponse.Failure) {
      return try PreparedResponse(response, ending: ending)
    } catch {
      log("a response with status \(response.status) cannot be sent: \(error.rawValue)")
      return try? PreparedResponse(dress(error.response, request), ending: ending)
    }
  }

  private func send(
    _ answer: PreparedResponse, to work: RequestInWork, on connection: OpaquePointer
  ) -> Bool {
    work.send(answer)
    return answer.queue(on: connection)
  }

  /// Notes that a request's answer went out, or was broken off.
  func end(_ work: RequestInWork, isComplete: Bool) {
    if measure != nil || observe != nil {
      let measurement = work.measurement(isComplete: isComplete)
      measure?(measurement)
      if let observe, let exchange = work.exchange(measurement) { observe(exchange) }
    }
    work.end()
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
