import SeedSystem

/// One request, which fails if its bytes arrive too slowly or the deadline of its file passes.
final class WatchedRequest: Sendable {
  private struct Answer {
    var reply: Reply?
    var bytes = 0
    var uselessBytes = 0
  }

  private let fetcher: Fetcher
  private let request: TransportRequest
  private let length: Int?
  private let deadline: Duration
  private let answer = Mutex(Answer())

  /// Maximum bytes to read of an unneeded body. Reading it keeps the connection open for the next request.
  private static let mostUselessBytes = 64 * 1024

  private struct Enough: Error {}

  /// `length` is the signed length of the whole resource, if known; `deadline` is in the environment's uptime.
  init(_ request: TransportRequest, length: Int?, deadline: Duration, for fetcher: Fetcher) {
    (self.fetcher, self.request, self.length, self.deadline) = (fetcher, request, length, deadline)
  }

  /// Sends the request once. `begin` gets the classified head; `take` gets bytes and the range that the response covers.
  func run(
    begin: @escaping @Sendable (Reply) throws -> Void = { _ in },
    take: @escaping @Sendable ([UInt8], Range<Int>) throws -> Void
  ) async throws -> Reply {
    let receiver = ResponseReceiver { [self] head in
      let reply = try Reply.classify(head, of: request, length: length, now: fetcher.environment.now())
      answer.withLock { $0.reply = reply }
      try begin(reply)
    } body: { [self] bytes in
      fetcher.context.count { $0.bytes += bytes.count }
      if case .bytes(let range) = try count(bytes.count) { try take(bytes, range) }
    }
    fetcher.context.count { $0.requests += 1 }
    do {
      try await withThrowingTaskGroup { group in
        group.addTask { [self] in try await fetcher.environment.transport.send(request, to: receiver) }
        group.addTask { [self] in try await enforceTimeouts() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch is Enough {}
    guard let reply = answer.withLock({ $0.reply }) else {
      throw TransportError.unreachable(url: request.text, reason: "the server did not answer")
    }
    return reply
  }

  private func count(_ bytes: Int) throws -> Reply? {
    try answer.withLock { answer in
      answer.bytes += bytes
      if case .bytes = answer.reply { return answer.reply }
      answer.uselessBytes += bytes
      guard answer.uselessBytes <= Self.mostUselessBytes else { throw Enough() }
      return answer.reply
    }
  }

  private func enforceTimeouts() async throws {
    let (environment, timeouts) = (fetcher.environment, fetcher.timeouts)
    while true {
      let before = answer.withLock { $0.bytes }
      let end = min(environment.uptime() + timeouts.window, deadline)
      // Checks the clock again, because a test's sleep may return early.
      while environment.uptime() < end {
        try Task.checkCancellation()
        try await environment.sleep(end - environment.uptime())
      }
      guard environment.uptime() < deadline else {
        throw TransportError.tooLate(url: request.text, after: timeouts.total)
      }
      let arrived = answer.withLock { $0.bytes } - before
      guard arrived >= timeouts.minimumBytes else {
        throw TransportError.tooSlow(url: request.text, bytes: arrived, in: timeouts.window)
      }
    }
  }
}
