import SeedSystem

final class UpdateContext: Sendable {
  let policy: UpdatePolicy
  let phases: PhaseSender
  private let counted = Mutex(UpdateTraffic())

  init(policy: UpdatePolicy = UpdatePolicy(), phases: PhaseSender = .silent) {
    (self.policy, self.phases) = (policy, phases)
  }

  var traffic: UpdateTraffic { counted.withLock { $0 } }

  func count(_ change: (inout UpdateTraffic) -> Void) { counted.withLock { change(&$0) } }
}

/// Reports an update's phases: each new one at once, progress at intervals. Keeps ended ones for the report.
final class PhaseSender: Sendable {
  private struct State {
    var phase = UpdatePhase.checking
    var began: Duration?
    var sent: Duration?
    var past: [UpdateReport.Phase] = []

    mutating func end(at now: Duration) {
      if let began { past.append(UpdateReport.Phase(phase: phase, duration: now - began)) }
      began = nil
    }
  }

  private static let interval = Duration.milliseconds(100)

  static var silent: PhaseSender { PhaseSender(uptime: { .zero }) { _ in } }

  private let uptime: @Sendable () -> Duration
  private let send: @Sendable (UpdatePhase) -> Void
  private let state = Mutex(State())

  init(uptime: @escaping @Sendable () -> Duration, _ send: @escaping @Sendable (UpdatePhase) -> Void) {
    (self.uptime, self.send) = (uptime, send)
  }

  func enter(_ phase: UpdatePhase) {
    state.withLock { state in
      let now = uptime()
      state.end(at: now)
      (state.phase, state.began, state.sent) = (phase, now, now)
    }
    send(phase)
  }

  func end() -> [UpdateReport.Phase] {
    state.withLock { state in
      state.end(at: uptime())
      return state.past
    }
  }

  /// Adds finished bytes (negative if they must be repeated) and changed rows.
  func advance(bytes: Int = 0, rows: Int = 0) {
    let phase: UpdatePhase? = state.withLock { state in
      state.phase = state.phase.advanced(bytes, rows)
      let now = uptime()
      let isDue = state.sent.map { now - $0 >= Self.interval } ?? true
      guard isDue || state.phase.fractionCompleted == 1 else { return nil }
      state.sent = now
      return state.phase
    }
    if let phase { send(phase) }
  }
}

extension UpdatePhase {
  fileprivate func advanced(_ bytes: Int, _ rows: Int) -> UpdatePhase {
    switch self {
    case .downloading(let done, let total): .downloading(bytes: done + bytes, totalBytes: total)
    case .expanding(let done, let total): .expanding(bytes: done + bytes, totalBytes: total)
    case .applying(let changed, let done, let total):
      .applying(rows: changed + rows, bytes: done + bytes, totalBytes: total)
    case .checking, .buildingIndexes, .swapping, .finished: self
    }
  }
}
