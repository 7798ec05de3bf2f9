/// Ends connections of slow clients. libmicrohttpd 0.9.75 only measures the time since the last byte: a byte every few
/// seconds keeps a connection open forever, and a few hundred such connections block all other clients.
package struct ConnectionTimeouts: Sendable {
  /// Seconds from a connection's start to the end of the first request's head.
  package var headSeconds = 5
  /// Seconds for which a connection may be idle. Also libmicrohttpd's timeout since the last byte; see ``Daemon``.
  package var idleSeconds = 30
  /// Bytes per second that a client must receive of a response.
  package var floorBytesPerSecond = 512
  /// Seconds over which that rate is measured: long enough for a train in a tunnel.
  package var floorWindowSeconds = 20

  /// If the server is crowded, the bytes per second required of clients above their share, and the seconds over which
  /// the rate is measured. A client that is cut off can request the rest.
  package var crowdedFloorBytesPerSecond = 16 * 1024
  package var crowdedWindowSeconds = 2

  package init() {}

  struct Activity: Hashable, Sendable {
    enum Phase: UInt64, Sendable {
      case opening
      case handling
      case sending
      case idle
    }

    let phase: Phase
    /// Milliseconds of a monotonic clock.
    let since: UInt64

    /// How long a connection counts as busy after it opens or after a response. Active clients send within this time.
    static let momentMilliseconds: UInt64 = 250

    var isAnswering: Bool { phase == .handling || phase == .sending }

    /// A new connection without a head counts as waiting after this time, in which a client resends lost packets.
    static let patienceMilliseconds: UInt64 = 1_000

    /// Whether it can be ended without losing a request.
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
      now >= progress.start + UInt64(crowdedWindowSeconds) * 1000
    else { return false }
    return lacks(crowdedFloorBytesPerSecond, progress, acknowledged: acknowledged, at: now)
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
