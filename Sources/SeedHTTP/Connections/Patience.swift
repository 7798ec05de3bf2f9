/// How long a connection may keep its place without doing its part.
///
/// libmicrohttpd 0.9.75 knows only how long ago the last byte moved. One byte every few seconds keeps a
/// connection for ever, and a few hundred such connections keep everyone else out.
struct Patience: Sendable {
  /// Seconds from a connection's start to the end of its first request's head.
  var headSeconds = 5
  /// Seconds without a request, from the end of an answer on.
  var idleSeconds = 10
  /// Bytes a second that a client has to take of an answer.
  var floorBytesPerSecond = 512
  /// Seconds over which that is measured: a train may pass through a tunnel.
  var floorWindowSeconds = 20

  /// What a connection is at, and since when.
  struct Activity: Hashable, Sendable {
    enum Phase: UInt64, Sendable {
      /// Its first request's head is awaited.
      case opening
      /// The handler works.
      case handling
      /// An answer is on its way.
      case sending
      /// The next request is awaited.
      case idle
    }

    let phase: Phase
    /// Milliseconds of a clock that only goes forward.
    let since: UInt64

    /// Milliseconds for which a connection that was just opened or answered counts as busy: a client at work
    /// has sent its next request by then.
    static let momentMilliseconds: UInt64 = 250

    /// Whether a request waits for its answer, or for the rest of it.
    var isAnswering: Bool { phase == .handling || phase == .sending }

    /// Whether a request waits for its answer, or may well be on its way.
    func isBusy(at now: UInt64) -> Bool { isAnswering || now < since + Self.momentMilliseconds }
  }

  /// Where the measurement of an answer's progress stands.
  struct Progress: Hashable, Sendable {
    /// When the current window began, in milliseconds.
    let start: UInt64
    /// Bytes that the client had acknowledged then.
    let acknowledged: UInt64
  }

  /// Whether the connection may stay, and how to go on measuring.
  enum Verdict: Hashable, Sendable {
    case keep(Progress?)
    case end
  }

  /// Judges a connection by what it is at and how many bytes its client has acknowledged so far.
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

  private func judgeSending(
    _ activity: Activity, _ progress: Progress?, acknowledged: UInt64, at now: UInt64
  ) -> Verdict {
    // What was measured of an earlier answer says nothing about this one.
    guard let progress, progress.start >= activity.since else {
      return .keep(Progress(start: now, acknowledged: acknowledged))
    }
    guard now >= progress.start + UInt64(floorWindowSeconds) * 1000 else { return .keep(progress) }
    let taken = acknowledged - min(acknowledged, progress.acknowledged)
    let demanded = UInt64(floorBytesPerSecond) * (now - progress.start) / 1000
    return taken < demanded ? .end : .keep(Progress(start: now, acknowledged: acknowledged))
  }
}
