import SeedDatabase
import SeedSystem

/// Tells how an update goes on: each phase at once, its progress now and then.
final class PhaseSender: Sendable {
  private struct State {
    var phase = UpdatePhase.checking
    /// When something was last told, by the surroundings' clock.
    var told: Duration?
  }

  /// The shortest time between two reports of one phase.
  private static let interval = Duration.milliseconds(100)

  /// Tells no one.
  static var silent: PhaseSender { PhaseSender(uptime: { .zero }) { _ in } }

  private let uptime: @Sendable () -> Duration
  private let tell: @Sendable (UpdatePhase) -> Void
  private let state = Mutex(State())

  init(uptime: @escaping @Sendable () -> Duration, _ tell: @escaping @Sendable (UpdatePhase) -> Void) {
    self.uptime = uptime
    self.tell = tell
  }

  /// A new phase.
  func enter(_ phase: UpdatePhase) {
    state.withLock { state in
      state.phase = phase
      state.told = uptime()
    }
    tell(phase)
  }

  /// Bytes of the phase's that were done, or have come to nothing.
  func received(_ bytes: Int) { advance { $0.advanced(byBytes: bytes) } }

  /// Rows that were changed.
  func changed(rows: Int) { advance { $0.advanced(byRows: rows) } }

  private func advance(_ change: (UpdatePhase) -> UpdatePhase) {
    let phase: UpdatePhase? = state.withLock { state in
      state.phase = change(state.phase)
      let now = uptime()
      let isDue = state.told.map { now - $0 >= Self.interval } ?? true
      guard isDue || state.phase.fractionCompleted == 1 else { return nil }
      state.told = now
      return state.phase
    }
    if let phase { tell(phase) }
  }
}

extension UpdatePhase {
  fileprivate func advanced(byBytes count: Int) -> UpdatePhase {
    switch self {
    case .downloading(let bytes, let total): .downloading(bytes: bytes + count, totalBytes: total)
    case .expanding(let bytes, let total): .expanding(bytes: bytes + count, totalBytes: total)
    case .applying(let rows, let bytes, let total):
      .applying(rows: rows, bytes: bytes + count, totalBytes: total)
    case .checking, .buildingIndexes, .swapping, .finished: self
    }
  }

  fileprivate func advanced(byRows count: Int) -> UpdatePhase {
    guard case .applying(let rows, let bytes, let total) = self else { return self }
    return .applying(rows: rows + count, bytes: bytes, totalBytes: total)
  }
}
