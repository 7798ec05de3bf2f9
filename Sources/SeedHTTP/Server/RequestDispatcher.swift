internal import CMicroHTTPD
import SeedFormat
import SeedSystem

import struct Synchronization.Atomic

/// Processes each request from head to response. Shared by the daemon's threads.
final class RequestDispatcher: Sendable {
  let connections: ConnectionTable
  let answers = ResponseCache()
  private let configuration: HTTPServerConfiguration
  private let handler: @Sendable (HTTPRequest) -> HTTPResponse
  /// Starts at random, so that processes rarely use the same IDs.
  private let nextID = Atomic(UInt64.random(in: 0...UInt64.max / 2))

  init(_ configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
    connections = ConnectionTable(
      configuration.timeouts, limit: configuration.connectionLimit,
      perAddressLimit: configuration.perAddressLimit
        ?? max(Self.leastPerAddress, configuration.connectionLimit / 4), exempt: configuration.trustedProxies)
    self.configuration = configuration
    self.handler = handler
  }

  /// Connections that one browser may open at once.
  private static let leastPerAddress = 16

  /// Counts a line of libmicrohttpd's log and discards it, because clients can cause any number of lines.
  func report(_ line: UnsafePointer<CChar>) {
    if let refusal = ConnectionRefusal(logged: String(cString: line)) { connections.count(refusal) }
  }

  /// Called when the first line has been read. Rejects a target longer than any allowed head, because libmicrohttpd may
  /// fail on it later without a response. The method is not known yet, so a HEAD request gets a body too.
  func begin(_ current: CurrentRequest, _ target: HeadText) {
    current.begin(target)
    guard target.count > HeadSize.limit else { return }
    connections.count(.head)
    let request = HTTPRequest(
      .get, target.text, sender: current.client.address, id: nextID.add(1, ordering: .relaxed).newValue)
    current.finishHead(isHead: false, agent: nil, request)
    _ = refuseBySocket(.targetTooLong, to: request, current)
  }

  /// Returns false if the connection must be dropped. libmicrohttpd calls this at the end of the head, and again at
  /// the end of the request. A response to the first call closes the connection, so that call only sends refusals.
  func advance(
    _ current: CurrentRequest, on connection: OpaquePointer, method: HeadText, version: HeadText
  ) -> Bool {
    switch current.step {
    case .head:
      current.target.withUnsafeBufferPointer { target in
        let line = RequestLine(method: method, target: target, version: version)
        return HeadReader.read(connection) { readHead(current, on: connection, line, $0) }
      }
    case .handler(let request, let gzip): respond(to: request, gzip: gzip, current, on: connection)
    case .kept(let response): response.send(to: current, on: connection)
    case .sent: true
    case .refused: false
    }
  }

  private func readHead(
    _ current: CurrentRequest, on connection: OpaquePointer, _ line: RequestLine, _ head: HeadReader
  ) -> Bool {
    let isHead = line.method.isExactly("HEAD")
    let agent = head.fields.agent.flatMap(configuration.labelAgent)
    do throws(Problem) {
      try head.checkSize(with: line)
      try RequestGuard.check(line, head.fields, accountsForEveryByte: head.accountsForEveryByte(with: line))
    } catch {
      connections.count(.head)
      let request = request(line, head.headers, from: current.client.address)
      current.finishHead(isHead: isHead, agent: agent, request)
      return refuse(error, to: request, current, on: connection)
    }
    let gzip = head.fields.coding.prefersGzip
    let mayBeKept = (isHead || line.method.isExactly("GET")) && !connections.isDraining
    let kept = mayBeKept ? keptResponse(to: line.target, head.fields, gzip: gzip) : nil
    let isWhole = kept == nil || configuration.observe != nil
    let request = isWhole ? request(line, head.headers, from: current.client.address) : nil
    current.finishHead(isHead: isHead, agent: agent, request)
    if let kept {
      current.step = .kept(kept)
    } else if let request {
      current.step = .handler(request, gzip: gzip)
    }
    // Responds now, because before the second call libmicrohttpd would send "100 Continue", although there is no body.
    guard head.fields.expects else { return true }
    return advance(current, on: connection, method: line.method, version: line.version)
  }

  private func keptResponse(to target: HeadText, _ fields: HeaderScan, gzip: Bool) -> PreparedResponse? {
    guard fields.hasConditions else { return answers.entry(target, gzip: gzip)?.prepared }
    return fields.onlyTag.flatMap { answers.entry(target, gzip: gzip)?.unchanged(for: $0) }
  }

  private func refuse(
    _ problem: Problem, to request: HTTPRequest, _ current: CurrentRequest, on connection: OpaquePointer
  ) -> Bool {
    if [.targetTooLong, .headTooLarge].contains(problem.type) {
      return refuseBySocket(problem, to: request, current)
    }
    guard let prepared = prepare(HTTPResponse(problem), to: request, ending: true) else { return false }
    return prepared.send(to: current, on: connection)
  }

  /// Writes the response directly to the socket: after an oversized head, libmicrohttpd may lack memory for one, and
  /// would close the connection without a response. This is safe because all earlier responses have already been sent.
  /// Returns false: the connection must be dropped.
  private func refuseBySocket(_ problem: Problem, to request: HTTPRequest, _ current: CurrentRequest) -> Bool
  {
    let response = configuration.finish(HTTPResponse(problem), request)
    if let counted = try? PreparedResponse(response, ending: true) { current.send(counted) }
    current.step = .refused
    current.client.end(with: response.lastBytes(isHead: request.method == .head, at: .now()))
    return false
  }

  private func request(_ line: RequestLine, _ headers: HTTPHeaders, from peer: IPAddress?) -> HTTPRequest {
    let sender = senderAddress(
      headers.values(of: "X-Forwarded-For"), from: peer, trusts: connections.isExempt)
    return HTTPRequest(
      HTTPMethod(line.method.text), line.target.text, headers: headers, sender: sender,
      id: nextID.add(1, ordering: .relaxed).newValue)
  }

  private func respond(
    to request: HTTPRequest, gzip: Bool, _ current: CurrentRequest, on connection: OpaquePointer
  ) -> Bool {
    current.target.withUnsafeBufferPointer { target in
      let target = RequestLine.originForm(of: target)
      let (generation, isReading) = (answers.generation, request.method == .get || request.method == .head)
      let known = isReading ? answers.entry(target, gzip: gzip)?.whole : nil
      let whole = known ?? handler(request)
      let selected = whole.selected(for: request)
      let ending = connections.isDraining
      guard let response = prepare(selected, to: request, ending: ending) else { return false }
      if isReading, whole.isReusable {
        let isPlain = selected.status == whole.status && response.status == whole.status && !ending
        if isPlain || known == nil {
          answers.keep(whole, isPlain ? response : nil, to: target, gzip: gzip, of: generation)
        }
        if response.status == 304, !ending, let tag = whole.headers["ETag"] {
          answers.keep(unchanged: response, tag: tag, to: target, gzip: gzip, of: generation)
        }
      }
      return response.send(to: current, on: connection)
    }
  }

  private func prepare(_ response: HTTPResponse, to request: HTTPRequest, ending: Bool) -> PreparedResponse? {
    do throws(Problem) {
      return try PreparedResponse(configuration.finish(response, request), ending: ending)
    } catch {
      return try? PreparedResponse(configuration.finish(HTTPResponse(error), request), ending: ending)
    }
  }

  func end(_ current: CurrentRequest, isComplete: Bool) {
    if current.hasHead, configuration.measure != nil || configuration.observe != nil {
      let measurement = current.measurement(isComplete: isComplete)
      configuration.measure?(measurement)
      if let request = current.request { configuration.observe?(request, measurement) }
    }
    current.end()
  }
}
