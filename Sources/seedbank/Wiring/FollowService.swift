import SeedClient
import SeedPublication
import SeedSystem

/// Follows until cancelled. Logs a repeated failure once.
struct FollowService: Sendable {
  let follower: Follower
  let everySeconds: Int
  /// Whether the first update verifies all local files.
  let isRehashing: Bool
  let progress: FollowProgress
  let console: Console
  let onChange: @Sendable () -> Void

  func run() async {
    let interval = PollInterval(pollSeconds: everySeconds)
    var (failures, rehashes) = (0, isRehashing)
    while !Task.isCancelled {
      let failure = await look(rehashing: rehashes)
      if Task.isCancelled { return }
      failures = failure == nil ? 0 : failures + 1
      tell(failure, inARow: failures)
      if failure == nil { rehashes = false }
      let asked = (failure as? SeedError)?.retryAfter
      try? await Task.sleep(
        for: interval.wait(afterFailures: failures, chance: .random(in: 0...1), asked: asked))
    }
  }

  private func look(rehashing: Bool) async -> (any Error)? {
    progress.note { $0.begins() }
    do {
      let report = try await follower.look(rehashing: rehashing)
      if !report.isUnchanged { onChange() }
      console.tell(report.record)
      return nil
    } catch {
      return error
    }
  }

  /// Older results in a row before a report, because a cache or one of several followers may lag for a moment.
  private static let olderLooks = 3

  private func tell(_ failure: (any Error)?, inARow count: Int) {
    if (failure as? FollowFailure)?.isOlder == true, count < Self.olderLooks { return }
    let before = progress.current.failure
    guard let failure else {
      progress.note { $0.succeeded(at: .now()) }
      if before != nil { console.tell(LogRecord(.notice, "looks succeed again")) }
      return
    }
    let message = Refusal(of: failure).message
    progress.note { $0.failed(message) }
    if message != before { console.error(message) }
  }
}
