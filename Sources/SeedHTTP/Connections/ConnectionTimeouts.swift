/// When a connection is ended because its client is too slow. libmicrohttpd 0.9.75 knows only how long ago the last
/// byte moved. One byte every few seconds keeps a connection for ever, and a few hundred such connections keep
/// everyone else out.
package struct ConnectionTimeouts: Sendable {
  /// Seconds from a connection's start to the end of its first request's head.
  package var headSeconds = 5
  /// Seconds without a request, counted from the end of a response.
  package var idleSeconds = 30
  /// Bytes a second that a client must take of a response.
  package var floorBytesPerSecond = 512
  /// Seconds over which that is measured: long enough for a train in a tunnel.
  package var floorWindowSeconds = 20

  /// While places are short, what a client must take that has more than its share of them, and seconds over which that
  /// is measured. Who loses its place can ask for the rest.
  package var crowdedFloorBytesPerSecond = 16 * 1024
  package var crowdedWindowSeconds = 2

  package init() {}

  struct Activity: Hashable, Sendable {
    enum Phase: UInt64, Sendable {
      /// It waits for its first request's head.
      case opening
      case handling
      case sending
      case idle
    }

    let phase: Phase
    /// Milliseconds of a clock that only goes forward.
    let since: UInt64

    /// A connection counts as busy so long after it was opened or answered: a client at work has sent again by then.
    static let momentMilliseconds: UInt64 = 250

    var isAnswering: Bool { phase == .handling || phase == .sending }

    /// A new connection may take so long for its first head before it counts as waiting: a lost packet is sent again by then.
    static let patienceMilliseconds: UInt64 = 1_000

    /// Whether nothing is under way on it for which its client would have to ask again.
    func isWaiting(at now: UInt64) -> Bool {
      phase == .idle || phase == .opening && now >= since + Self.patienceMilliseconds
    }

    func isBusy(at now: UInt64) -> Bool { isAnswering || now < since + Self.momentMilliseconds }
  }

  struct Progress: Hashable, Sendable {
    /// When the current window began, in milliseconds.
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
    // The next head may begin in the idle time's last moment.
    case .idle: isOver(idleSeconds + headSeconds, activity, now) ? .end : .keep(nil)
    case .sending: judgeSending(activity, progress, acknowledged: acknowledged, at: now)
    }
  }

  private func isOver(_ seconds: Int, _ activity: Activity, _ now: UInt64) -> Bool {
    now >= activity.since + UInt64(seconds) * 1000
  }

  /// Whether a reader could well make room.
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
    // A measurement of an earlier response says nothing about this one.
    guard let progress, progress.start >= activity.since else {
      return .keep(Progress(start: now, acknowledged: acknowledged))
    }
    guard now >= progress.start + UInt64(floorWindowSeconds) * 1000 else { return .keep(progress) }
    return lacks(floorBytesPerSecond, progress, acknowledged: acknowledged, at: now)
      ? .end : .keep(Progress(start: now, acknowledged: acknowledged))
  }
}
