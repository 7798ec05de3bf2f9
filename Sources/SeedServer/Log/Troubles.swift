/// Since when which trouble lasts. A clock that is set says nothing of that, so it is the one that only goes on.
struct Troubles<Topic: Hashable & Sendable>: Sendable {
  private var began: [Topic: ContinuousClock.Instant] = [:]

  /// Notes whether there is trouble now; how long it lasted, where this is its end.
  mutating func follow(_ topic: Topic, isOn: Bool, at now: ContinuousClock.Instant) -> Duration? {
    guard isOn else { return began.removeValue(forKey: topic).map { now - $0 } }
    if began[topic] == nil { began[topic] = now }
    return nil
  }
}
