import SeedFormat
package import SeedSystem

/// What a follower knows of the publication that it follows. It looks once at a time.
package struct FollowState: Hashable, Sendable {
  /// When it last found that nothing was newer there, or took over all that was.
  package private(set) var lastGoodLook: UTCTime?
  /// Why the last look failed, if it did. It may name the other publication's address.
  package private(set) var failure: String?
  private(set) var goodLooks = 0
  private(set) var failedLooks = 0
  /// Looks that have begun, and which of them was the last good one.
  private(set) var newestLook = 0
  private(set) var newestGoodLook = 0
  private let began: UTCTime
  private let lateSeconds: Int

  /// Looks in a row that may fail before anyone is told.
  private static let missedLooks = 5
  /// Seconds within which it is never late: an origin may be started anew.
  private static let leastLateSeconds = 60

  /// Of a follower that looks every so many seconds, and has just begun; its copy may be an older one.
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

  /// Since when it knows nothing of the publication that it follows, where that is too long.
  func lateSince(at now: UTCTime) -> UTCTime? {
    let last = lastGoodLook ?? began
    return now.secondsSinceEpoch - last.secondsSinceEpoch > lateSeconds ? last : nil
  }
}

/// How the looks of a follower go, for the front beside it.
package final class FollowProgress: Sendable {
  private let state: Mutex<FollowState>
  /// Other epochs that clients named, and the newest look at that time.
  private let asked = Mutex<[Epoch: Int]>([:])

  /// Epochs that are remembered. Whoever names more of them makes others wait for one more look.
  private static let mostEpochs = 256

  package init(_ state: FollowState) { self.state = Mutex(state) }

  package var current: FollowState { state.withLock(\.self) }

  package func note(_ change: (inout FollowState) -> Void) { state.withLock { change(&$0) } }

  /// Whether a client's epoch, which is not the copy's, may be newer than the copy. Epochs have no order; but once a look
  /// was good that began after the epoch was named, the copy's own is the newest.
  func mayBeNewer(_ epoch: Epoch) -> Bool {
    let now = current
    return asked.withLock { asked in
      if let look = asked[epoch] { return now.newestGoodLook <= look }
      if asked.count >= Self.mostEpochs { asked.removeAll() }
      asked[epoch] = now.newestLook
      return true
    }
  }
}
