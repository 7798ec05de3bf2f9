import SeedSystem

/// One request, which ends where its bytes come too slowly or its file takes too long.
final class WatchedRequest: Sendable {
  private struct Answer {
    var reply: Reply?
    /// Bytes that are of no use.
    var passedOver = 0
  }

  private let fetcher: Fetcher
  private let request: TransportRequest
  private let length: Int?
  private let watch: TimeoutWatch
  private let answer = Mutex(Answer())

  /// Bytes of a body that is of no use, up to which the connection is kept for the next request.
  private static let passedOverBytes = 64 * 1024

  private struct Enough: Error {}

  /// `length` is the whole resource's, where it was signed; it must be here by `deadline` of the environment's clock.
  init(_ request: TransportRequest, length: Int?, deadline: Duration, for fetcher: Fetcher) {
    (self.fetcher, self.request, self.length) = (fetcher, request, length)
    watch = TimeoutWatch(
      url: request.text, timeouts: fetcher.timeouts, environment: fetcher.environment, deadline: deadline)
  }

  /// Sends it, once.
  ///
  /// - Parameters:
  ///   - begin: Called with the meaning of the answer's head.
  ///   - take: Called with the bytes that were asked for, and with the range that they are part of.
  func run(
    begin: @escaping @Sendable (Reply, ResponseHead) throws -> Void = { _, _ in },
    take: @escaping @Sendable ([UInt8], Range<Int>) throws -> Void
  ) async throws -> Reply {
    let receiver = ResponseReceiver { [self] head in
      let reply = try Reply.judge(head, of: request, length: length, now: fetcher.environment.now())
      answer.withLock { $0.reply = reply }
      try begin(reply, head)
    } body: { [self] bytes in
      watch.received(bytes.count)
      fetcher.context.count { $0.bytes += bytes.count }
      if case .bytes(let range) = answer.withLock({ $0.reply }) { return try take(bytes, range) }
      try passOver(bytes.count)
    }
    fetcher.context.count { $0.requests += 1 }
    do {
      try await watch.run { [fetcher, request] in
        try await fetcher.environment.transport.send(request, to: receiver)
      }
    } catch is Enough {}
    guard let reply = answer.withLock({ $0.reply }) else {
      throw TransportError.unreachable(url: request.text, reason: "the server did not answer")
    }
    return reply
  }

  private func passOver(_ bytes: Int) throws {
    let isEnough = answer.withLock { answer in
      answer.passedOver += bytes
      return answer.passedOver > Self.passedOverBytes
    }
    if isEnough { throw Enough() }
  }
}

/// Ends a transfer that is too slow or takes too long.
final class TimeoutWatch: Sendable {
  private let url: String
  private let timeouts: DownloadTimeouts
  private let environment: Environment
  private let deadline: Duration
  private let bytes = Mutex(0)

  init(url: String, timeouts: DownloadTimeouts, environment: Environment, deadline: Duration) {
    self.url = url
    self.timeouts = timeouts
    self.environment = environment
    self.deadline = deadline
  }

  func received(_ count: Int) { bytes.withLock { $0 += count } }

  /// Runs `transfer` while its bytes come fast enough; one that is too slow is cancelled.
  func run(_ transfer: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await transfer() }
      group.addTask { try await self.patrol() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Never returns but by an error.
  private func patrol() async throws {
    while true {
      let before = bytes.withLock { $0 }
      try await wait(until: min(environment.uptime() + timeouts.window, deadline))
      guard environment.uptime() < deadline else {
        throw TransportError.tooLate(url: url, after: timeouts.total)
      }
      let arrived = bytes.withLock { $0 } - before
      guard arrived >= timeouts.minimumBytes else {
        throw TransportError.tooSlow(url: url, bytes: arrived, in: timeouts.window)
      }
    }
  }

  /// The clock decides, not the sleep: a test's may be short.
  private func wait(until end: Duration) async throws {
    while environment.uptime() < end {
      try Task.checkCancellation()
      try await environment.sleep(end - environment.uptime())
    }
  }
}
