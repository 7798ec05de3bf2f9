/// Decides which slow clients' connections ``ConnectionTable`` ends. libmicrohttpd 0.9.75 only measures the time
/// since the last byte: a few hundred clients that send a byte every few seconds would block all others forever.
package struct ConnectionTimeouts: Sendable {
  /// Seconds from a connection's start to the end of the first request's head.
  package var headSeconds = 5
  /// Seconds for which a connection may be idle.
  package var idleSeconds = 30
  /// The rate, in bytes per second, at which a client must receive a response.
  package var floorBytesPerSecond = 512
  /// Seconds over which that rate is measured: long enough for a train in a tunnel.
  package var floorWindowSeconds = 20

  /// While the server is busy, clients above their share must receive this rate, measured for at least
  /// ``busyWindowSeconds``. Measurements restart after ``floorWindowSeconds``. Cut-off clients can resume.
  package var busyFloorBytesPerSecond = 16 * 1024
  package var busyWindowSeconds = 2

  struct Activity: Hashable, Sendable {
    enum Phase: UInt64, Sendable { case opening, handling, sending, idle }

    let phase: Phase
    /// Milliseconds of a monotonic clock.
    let since: UInt64

    /// How long a connection counts as busy after it opens or after a response. Active clients send within this time.
    static let momentMilliseconds: UInt64 = 250

    var isAnswering: Bool { phase == .handling || phase == .sending }

    /// How long a new connection may lack a head before it counts as waiting: enough to resend lost packets.
    static let patienceMilliseconds: UInt64 = 1_000

    /// Whether the connection can be ended without losing a request.
    func isWaiting(at now: UInt64) -> Bool {
      phase == .idle || phase == .opening && now >= since + Self.patienceMilliseconds
    }

    func isBusy(at now: UInt64) -> Bool { isAnswering || now < since + Self.momentMilliseconds }
  }

  struct Progress: Hashable, Sendable {
    /// Start of the current window in milliseconds.
    let start: UInt64
    let acknowledged: UInt64
  }

  enum Verdict: Hashable, Sendable {
    case keep(Progress?)
    case end
  }

  func judge(_ activity: Activity, _ progress: Progress?, acknowledged: UInt64, at now: UInt64) -> Verdict {
    switch activity.phase {
    case .handling: .keep(nil)
    case .opening: isOver(headSeconds, activity, now) ? .end : .keep(nil)
    // A head may begin at the end of the idle time, so the time for a head is added.
    case .idle: isOver(idleSeconds + headSeconds, activity, now) ? .end : .keep(nil)
    case .sending: judgeSending(activity, progress, acknowledged: acknowledged, at: now)
    }
  }

  private func isOver(_ seconds: Int, _ activity: Activity, _ now: UInt64) -> Bool {
    now >= activity.since + UInt64(seconds) * 1000
  }

  func isSlow(_ activity: Activity, _ progress: Progress?, acknowledged: UInt64, at now: UInt64) -> Bool {
    guard activity.phase == .sending, let progress, progress.start >= activity.since,
      now >= progress.start + UInt64(busyWindowSeconds) * 1000
    else { return false }
    return lacks(busyFloorBytesPerSecond, progress, acknowledged: acknowledged, at: now)
  }

  private func lacks(
    _ bytesPerSecond: Int, _ progress: Progress, acknowledged: UInt64, at now: UInt64
  ) -> Bool {
    let taken = acknowledged - min(acknowledged, progress.acknowledged)
    return taken < UInt64(bytesPerSecond) * (now - progress.start) / 1000
  }

  private func judgeSending(
    _ activity: Activity, _ progress: Progress?, acknowledged: UInt64, at now: UInt64
  ) -> Verdict {
    // A measurement of an earlier response does not apply.
    guard let progress, progress.start >= activity.since else {
      return .keep(Progress(start: now, acknowledged: acknowledged))
    }
    guard now >= progress.start + UInt64(floorWindowSeconds) * 1000 else { return .keep(progress) }
    return lacks(floorBytesPerSecond, progress, acknowledged: acknowledged, at: now)
      ? .end : .keep(Progress(start: now, acknowledged: acknowledged))
  }
}
