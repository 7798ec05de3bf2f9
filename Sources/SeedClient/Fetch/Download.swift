import Foundation
import SeedDatabase
import SeedSystem
import SeedTrust

/// One object on its way to this device: parts, resumed where an earlier attempt or process left off.
final class Download: Sendable {
  let fetcher: Fetcher
  let url: URL
  let file: PartialFile
  let deadline: Duration

  /// Bytes that came, those included that came to nothing.
  private let arrived = Mutex(0)
  private let restarts = Mutex(0)
  /// Whether what is there came in several answers.
  private let isJoined = Mutex(false)

  init(_ file: PartialFile, from url: URL, for fetcher: Fetcher) {
    (self.file, self.url, self.fetcher) = (file, url, fetcher)
    deadline = fetcher.surroundings.uptime() + fetcher.patience.total
  }

  private var object: PublishedObject { file.object }

  /// Times that a download begins anew because the server has something else than before.
  private static let mostRestarts = 2

  /// Gets what is missing; at the end the file has the length and the hash that were signed.
  func run() async throws {
    fetcher.errand.phases.received(file.length)
    isJoined.withLock { $0 = file.length > 0 }
    try await complete()
    if file.isSigned() { return }
    // What came in one go is what the server has; what was put together may be of two files, once.
    guard isJoined.withLock({ $0 }), restarts.withLock({ $0 }) == 0 else { throw damage() }
    try restart()
    try await complete()
    guard file.isSigned() else { throw damage() }
  }

  /// Gets part after part.
  private func complete() async throws {
    try await fetcher.retrying(received: { arrived.withLock { $0 } }) {
      while !file.isComplete {
        switch try await part() {
        case .bytes: continue
        case .restart: try restart()
        case .absent: throw TransportError.absent(url: url.absoluteString)
        }
      }
    }
  }

  private func part() async throws -> Reply {
    let start = file.length
    let attempt = Attempt(
      fetcher: fetcher, request: request(from: start), length: object.length, deadline: deadline)
    let reply = try await attempt.run { [self] reply, head in
      guard case .bytes(let range) = reply else { return }
      if range.lowerBound < start {
        try restart(orFailBy: reason(head))
      } else if start > 0 {
        isJoined.withLock { $0 = true }
      }
      try file.begin(head.strongValidator)
    } take: { [self, phases = fetcher.errand.phases] bytes, range in
      try file.take(bytes, upTo: range.upperBound)
      arrived.withLock { $0 += bytes.count }
      phases.received(bytes.count)
    }
    if case .bytes = reply, file.length == start {
      throw TransportError.unreachable(url: url.absoluteString, reason: "the answer was empty")
    }
    return reply
  }

  private func request(from start: Int) -> TransportRequest {
    let end = min(start + Fetcher.partBytes, object.length)
    let isWhole = start == 0 && end == object.length
    return TransportRequest(
      url, range: isWhole ? nil : start..<end, validator: start > 0 ? file.validator : nil,
      policy: fetcher.errand.policy)
  }

  /// Why the whole came where a part was asked for.
  private func reason(_ head: ResponseHead) -> TransportError {
    let text = url.absoluteString
    let isSame = file.validator == nil || file.validator == head.strongValidator
    return isSame ? .partless(url: text) : .changing(url: text)
  }

  private func restart(orFailBy failure: TransportError? = nil) throws {
    let count = restarts.withLock { restarts in
      restarts += 1
      return restarts
    }
    guard count <= Self.mostRestarts else { throw failure ?? .changing(url: url.absoluteString) }
    fetcher.errand.phases.received(-file.length)
    fetcher.errand.count { $0.restarts += 1 }
    isJoined.withLock { $0 = false }
    try file.restart()
  }

  private func damage() -> SeedError {
    SeedError(
      .damaged, "the server's \(object.filePath) has another SHA-256 than was signed: publish it again")
  }
}
