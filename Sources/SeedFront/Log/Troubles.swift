/// The start of each ongoing trouble. Uses a monotonic clock because the wall clock may be set.
struct Troubles<Topic: Hashable & Sendable>: Sendable {
  private var began: [Topic: ContinuousClock.Instant] = [:]

  /// Records whether the trouble exists now. Returns its duration when it ends.
  mutating func follow(_ topic: Topic, isOn: Bool, at now: ContinuousClock.Instant) -> Duration? {
    guard isOn else { return began.removeValue(forKey: topic).map { now - $0 } }
    if began[topic] == nil { began[topic] = now }
    return nil
  }
}
