extension SeedStore {
  /// Asks the server once for newer data and takes it, at a moment of this device's own, so that a message to a million
  /// devices does not become a million requests in one second.
  ///
  /// A message is no more than a hint: what counts is what the publication says, and an update at the publisher's pace
  /// finds it without. Hints lead to one look in ten seconds at most.
  ///
  /// - Parameters:
  ///   - reason: What the app was told.
  ///   - policy: The limits of the update once there is data; the first download has none.
  /// - Returns: The update, or `nil` where the look for an earlier hint is still to begin, which will do for both.
  @discardableResult
  public func look(
    because reason: LookReason, _ policy: UpdatePolicy = .background
  ) async throws(SeedError) -> UpdateReport? {
    let wait = hints.wait(for: reason, now: environment.uptime(), chance: environment.chance())
    guard let wait else { return nil }
    do {
      try await sleepUnlessClosed(for: wait)
    } catch {
      hints.giveUp()
      throw SeedError(error)
    }
    hints.begin(at: environment.uptime())
    return try await inTurn { store in try await store.performUpdate(policy, first: UpdatePolicy()) }
  }
}
