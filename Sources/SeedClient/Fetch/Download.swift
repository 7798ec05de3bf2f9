import Foundation
import SeedSystem
import SeedTrust

final class Download: Sendable {
  private struct State {
    /// Received bytes, including discarded ones.
    var arrived = 0
    var restarts = 0
    var isJoined = false
  }

  private let fetcher: Fetcher
  private let url: URL
  private let file: PartialFile
  private let deadline: Duration
  private let state = Mutex(State())

  init(_ object: PublishedObject, for fetcher: Fetcher) async throws {
    self.fetcher = fetcher
    url = try fetcher.server.url(object.filePath)
    file = try await fetcher.partial.open(object)
    deadline = fetcher.environment.uptime() + fetcher.timeouts.total
  }

  private static let mostRestarts = 2

  /// Downloads the missing bytes. The finished file has the signed length and hash.
  func run() async throws -> FetchedObject {
    do {
      fetcher.context.phases.advance(bytes: file.length)
      state.withLock { $0.isJoined = file.length > 0 }
      repeat {
        try await fetcher.retrying(received: { state.withLock { $0.arrived } }) {
          while !file.isComplete { try await fetchPart() }
        }
      } while try !isSigned()
      return FetchedObject(object: file.object, path: file.path, phases: fetcher.context.phases)
    } catch {
      if file.length == 0 || !error.leavesParts { file.discard() }
      throw UnusableObject(file.object, error) ?? error
    }
  }

  /// Returns true if the file has its signed hash. Otherwise, if the file may combine parts of two different
  /// files, restarts the download and returns false, but only once. Throws in all other cases.
  private func isSigned() throws -> Bool {
    if file.isSigned() { return true }
    guard state.withLock({ $0.isJoined && $0.restarts == 0 }) else {
      throw SeedError(
        .damaged,
        "the SHA-256 of \(url.absoluteString) does not match the signed one: \(SeedError.verifyOnServer)")
    }
    try restart()
    return false
  }

  private func fetchPart() async throws {
    let start = file.length
    let request = WatchedRequest(
      request(from: start), length: file.object.length, deadline: deadline, for: fetcher)
    let reply = try await request.run { [self] reply in
      guard case .bytes(let range) = reply else { return }
      if range.lowerBound < start {
        try restart()
      } else if start > 0 {
        state.withLock { $0.isJoined = true }
      }
    } take: { [self] bytes, range in
      guard file.length + bytes.count <= range.upperBound else {
        throw TransportError.tooLong(url: url.absoluteString, limit: file.object.length)
      }
      try file.take(bytes)
      state.withLock { $0.arrived += bytes.count }
      fetcher.context.phases.advance(bytes: bytes.count)
    }
    switch reply {
    case .bytes where file.length == start:
      throw TransportError.unreachable(url: url.absoluteString, reason: "the response was empty")
    case .bytes: return
    case .restart: try restart()
    case .absent: throw TransportError.absent(url: url.absoluteString)
    }
  }

  private func request(from start: Int) -> TransportRequest {
    let end = min(start + Fetcher.partBytes, file.object.length)
    let isWhole = start == 0 && end == file.object.length
    return TransportRequest(url: url, range: isWhole ? nil : start..<end, policy: fetcher.context.policy)
  }

  private func restart() throws {
    let count = state.withLock { state in
      state.restarts += 1
      return state.restarts
    }
    guard count <= Self.mostRestarts else { throw TransportError.partless(url: url.absoluteString) }
    fetcher.context.phases.advance(bytes: -file.length)
    fetcher.context.count { $0.restarts += 1 }
    state.withLock { $0.isJoined = false }
    try file.restart()
  }
}

extension Error {
  fileprivate var leavesParts: Bool {
    // Also keeps the part if the disk is full (see `FetchedObject.using`), so that the next update continues from it.
    if self is CancellationError || (self as? FileError)?.isFull == true { return true }
    switch self as? TransportError {
    case .unreachable, .waiting, .refused, .denied, .status, .absent, .webPage, .tooSlow, .tooLate:
      return true
    default: return false
    }
  }
}
