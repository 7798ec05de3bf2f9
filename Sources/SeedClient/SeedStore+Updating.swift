extension SeedStore {
  /// Asks the server once for newer data and takes it.
  ///
  /// Whatever fails, the data that was there stays. When another update is under way this one waits for its
  /// end. Cancelling the task ends the update; the data is the old or the new.
  @discardableResult
  public func update(_ policy: UpdatePolicy = UpdatePolicy()) async throws(SeedError) -> UpdateReport {
    try await inTurn { store in try await store.performUpdate(policy) }
  }

  /// An update as the sequence of its phases, with the report as the last one.
  ///
  /// Each iteration is an update; ending it cancels the update. A phase yields at most ten elements a second.
  ///
  /// ```swift
  /// for try await phase in seeds.updatePhases() {
  ///   if case .downloading(let bytes, let totalBytes) = phase { show(bytes, of: totalBytes) }
  /// }
  /// ```
  public nonisolated func updatePhases(
    _ policy: UpdatePolicy = UpdatePolicy()
  ) -> UpdatePhases {
    UpdatePhases { [self] listener throws(SeedError) in
      try await inTurn { store in try await store.performUpdate(policy, listener) }
    }
  }

  /// The way that an update would take now and the bytes that it would download; only metadata is fetched for it.
  public func updatePlan() async throws(SeedError) -> UpdatePlan {
    try await inTurn { store in
      let plan = try await store.beginAttempt(UpdatePolicy(), first: UpdatePolicy(), .silent).plan
      await store.noteSuccess(hasChanged: false)
      return plan
    }
  }

  /// Updates, and goes on updating at the pace that the publisher asks for, until the task is cancelled.
  ///
  /// A failed update takes nothing away and does not end this: the next one comes after a wait that grows with
  /// every failure, and that is not shorter than the server asks for; ``state`` says what is wrong.
  ///
  /// It never returns. It throws `CancellationError` once the task is cancelled, whether it waits, is suspended or
  /// updates; such an update ends first, and the data is the old or the new. It throws a ``SeedError`` when trying
  /// again cannot help: the app's schema is not the published one, or no longer published.
  ///
  /// - Parameters:
  ///   - policy: The limits of each update once there is data; the first download has none.
  ///   - onFailure: Called with each failure after which it goes on.
  public func keepUpdated(
    _ policy: UpdatePolicy = .background, onFailure: @Sendable (SeedError) -> Void = { _ in }
  ) async throws {
    var failures = 0
    while true {
      var retryAfter: Duration?
      do {
        _ = try await inTurn { store in try await store.performUpdate(policy, first: UpdatePolicy()) }
        failures = 0
      } catch {
        if error.code == .suspended {
          await untilResumed()
          try Task.checkCancellation()
          continue
        }
        guard error.isRetryable else { throw error.code == .cancelled ? CancellationError() : error }
        failures += 1
        retryAfter = error.retryAfter
        onFailure(error)
      }
      try await sleepUnlessClosed(
        for: pace.wait(afterFailures: failures, chance: environment.chance(), asked: retryAfter))
    }
  }

  func sleepUnlessClosed(for duration: Duration) async throws {
    try await withThrowingTaskGroup(of: Void.self) { [environment] group in
      group.addTask { try await environment.sleep(duration) }
      group.addTask { [self] in await untilClosed() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
