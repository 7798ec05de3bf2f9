extension SeedStore {
  /// Checks the server once for newer data, after a random delay that spreads the requests of many devices.
  ///
  /// A message is only a hint: regular updates find the data without it. Hints cause at most one look in ten seconds.
  ///
  /// - Parameters:
  ///   - reason: The reason for the look.
  ///   - policy: Limits the update once there is data; the first download is unlimited.
  /// - Returns: The update, or `nil` if an earlier hint's look has not begun yet and covers both.
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
