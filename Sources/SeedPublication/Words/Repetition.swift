package import SeedSystem

/// Ongoing failures. Each is logged once, and so is its end.
package final class RepeatedFailures<Work: Hashable & Sendable>: Sendable {
  private struct Failure {
    let message: String
    let began: ContinuousClock.Instant
  }

  private let state = Mutex<[Work: Failure]>([:])

  package init() {}

  /// Records a failure; returns true unless the work last failed in the same way.
  package func isNews(
    _ message: String, of work: Work, at now: ContinuousClock.Instant = .now
  ) -> Bool {
    state.withLock { state in
      let last = state[work]
      state[work] = Failure(message: message, began: last?.began ?? now)
      return last?.message != message
    }
  }

  /// Records a success; returns how long the work had failed, if it had.
  package func end(_ work: Work, at now: ContinuousClock.Instant = .now) -> TimeSpan? {
    state.withLock { $0.removeValue(forKey: work).map { TimeSpan(now - $0.began) } }
  }
}

/// Passes a persistent warning once a day.
package final class RepeatedWarnings: Sendable {
  private let said = Mutex<[String: UTCTime]>([:])

  package init() {}

  package func isDue(_ warning: String, now: UTCTime) -> Bool {
    said.withLock { said in
      // A clock that was set back must not silence it.
      if let last = said[warning], now.isWithin(UTCTime.secondsPerDay, of: last) { return false }
      said[warning] = now
      return true
    }
  }
}
