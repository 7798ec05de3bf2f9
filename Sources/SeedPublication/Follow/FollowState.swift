package import SeedFormat
package import SeedSystem

/// A follower's progress. A look is one check of the followed publication; only one runs at a time.
package struct FollowState: Hashable, Sendable {
  /// The time of the last look that found nothing new or copied all changes.
  package private(set) var lastGoodLook: UTCTime?
  /// Why the last look failed. May contain the address of the followed publication.
  package private(set) var failure: String?
  package private(set) var goodLooks = 0
  package private(set) var failedLooks = 0
  /// The number of the newest look and of the last successful one.
  private(set) var newestLook = 0
  private(set) var newestGoodLook = 0
  private let began: UTCTime
  private let lateSeconds: Int

  /// The number of consecutive failures before a warning.
  private static let missedLooks = 5
  /// The minimum time before a warning, so that the followed server can restart.
  private static let leastLateSeconds = 60

  /// For a follower that looks every `seconds` seconds. Until its first good look, the delay is measured from `now`.
  package init(every seconds: Int, now: UTCTime) {
    (began, lateSeconds) = (now, max(Self.missedLooks * seconds, Self.leastLateSeconds))
  }

  package mutating func begins() { newestLook += 1 }

  package mutating func succeeded(at now: UTCTime) {
    (lastGoodLook, failure, newestGoodLook) = (now, nil, newestLook)
    goodLooks += 1
  }

  package mutating func failed(_ message: String) {
    failure = message
    failedLooks += 1
  }

  /// Returns the time since which the copy may be outdated, if that was too long ago.
  package func lateSince(at now: UTCTime) -> UTCTime? {
    let last = lastGoodLook ?? began
    // A clock that was set back must not hide the delay. The next successful look corrects the time.
    return abs(now.secondsSinceEpoch - last.secondsSinceEpoch) > lateSeconds ? last : nil
  }
}

/// A follower's progress, which the front in the same process reads.
package final class FollowProgress: Sendable {
  private let state: Mutex<FollowState>
  /// Epochs that clients sent and that are not the copy's, each with the newest look when it was first sent.
  private let asked = Mutex<[Epoch: Int]>([:])

  /// The maximum number of remembered epochs. Beyond it, all are forgotten, and their clients wait for one more look.
  private static let mostEpochs = 256

  package init(_ state: FollowState) { self.state = Mutex(state) }

  package var current: FollowState { state.withLock(\.self) }

  package func note(_ change: (inout FollowState) -> Void) { state.withLock { change(&$0) } }

  /// Whether a client's epoch, which differs from the copy's, may be newer. Epochs have no order, but once a
  /// look has succeeded that began after the epoch's first request, the copy's epoch is the newest.
  package func mayBeNewer(_ epoch: Epoch) -> Bool {
    let now = current
    return asked.withLock { asked in
      if let look = asked[epoch] { return now.newestGoodLook <= look }
      if asked.count >= Self.mostEpochs { asked.removeAll() }
      asked[epoch] = now.newestLook
      return true
    }
  }
}
