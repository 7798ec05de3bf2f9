import SeedDatabase
import SeedSystem

/// One request, watched and judged.
struct Attempt: Sendable {
  let fetcher: Fetcher
  let request: TransportRequest
  /// Bytes that the whole resource has, where that was signed.
  let length: Int?
  let deadline: Duration

  /// Bytes of a body that is of no use, up to which the connection is kept for the next request.
  private static let passedOverBytes = 64 * 1024

  /// The body of no use is longer than that.
  private struct Enough: Error {}

  private final class Answer: Sendable {
    let reply = Mutex<Reply?>(nil)
    let passedOver = Mutex(0)
  }

  /// Sends it; `begin` hears what the answer's head means, `take` gets the bytes that were asked for,
  /// and where in the resource the answer has them.
  func run(
    begin: @escaping @Sendable (Reply, ResponseHead) throws -> Void = { _, _ in },
    take: @escaping @Sendable ([UInt8], Range<Int>) throws -> Void
  ) async throws -> Reply {
    let watch = Watch(
      url: request.text, patience: fetcher.patience, surroundings: fetcher.surroundings, deadline: deadline)
    let answer = Answer()
    let receiver = receiver(answer, watch, begin, take)
    fetcher.errand.count { $0.requests += 1 }
    do {
      try await watch.run { try await fetcher.surroundings.transport.send(request, to: receiver) }
    } catch is Enough {}
    guard let reply = answer.reply.withLock({ $0 }) else {
      throw TransportError.unreachable(url: request.text, reason: "the server did not answer")
    }
    return reply
  }

  private func receiver(
    _ answer: Answer, _ watch: Watch, _ begin: @escaping @Sendable (Reply, ResponseHead) throws -> Void,
    _ take: @escaping @Sendable ([UInt8], Range<Int>) throws -> Void
  ) -> ResponseReceiver {
    ResponseReceiver { head in
      let reply = try Reply.judge(head, of: request, length: length, now: fetcher.surroundings.now())
      answer.reply.withLock { $0 = reply }
      try begin(reply, head)
    } body: { bytes in
      watch.received.withLock { $0 += bytes.count }
      fetcher.errand.count { $0.bytes += bytes.count }
      if case .bytes(let range) = answer.reply.withLock({ $0 }) { return try take(bytes, range) }
      try answer.passedOver.withLock { passedOver in
        passedOver += bytes.count
        if passedOver > Self.passedOverBytes { throw Enough() }
      }
    }
  }
}
