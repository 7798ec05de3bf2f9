extension SeedStore {
  /// Checks the server once and applies newer data.
  ///
  /// A failed update keeps the old data. If another update is running, this one waits for it to end.
  /// Cancelling the task ends the update with either the old or the new data.
  ///
  /// ```swift
  /// try await seeds.update { phase in progress = phase.fractionCompleted }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The limits on the update's networks and size.
  ///   - onPhase: Called in the caller's isolation with the update's phases, at most ten times a second in each phase.
  @discardableResult
  public nonisolated func update(
    _ policy: UpdatePolicy = UpdatePolicy(), onPhase: (UpdatePhase) -> Void = { _ in }
  ) async throws -> UpdateReport {
    let (phases, sender) = AsyncStream.makeStream(
      of: UpdatePhase.self, bufferingPolicy: .bufferingNewest(Self.mostWaitingPhases))
    let task = Task {
      defer { sender.finish() }
      return try await inTurn { store in try await store.performUpdate(policy) { sender.yield($0) } }
    }
    // The loop is not inside `withTaskCancellationHandler`, because `onPhase` would leave the caller's isolation there.
    sender.onTermination = { if case .cancelled = $0 { task.cancel() } }
    for await phase in phases { onPhase(phase) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Plans an update without applying it. Returns its steps and download size, and fetches only metadata.
  public func updatePlan() async throws -> UpdatePlan {
    try await inTurn { store in
      let plan = try await store.planUpdate(UpdatePolicy(), .silent).plan
      await store.noteSuccess(hasChanged: false)
      return plan
    }
  }

  /// Updates repeatedly at the publisher's interval, until the task is cancelled.
  ///
  /// A failed update keeps the old data and sets the error in ``state``. The next update runs after a delay that
  /// grows with each failure and is never shorter than the server asks for.
  ///
  /// Throws ``SeedError/Code/cancelled`` when the task is cancelled, even while the store is suspended. A running
  /// update ends first, with either the old or the new data. Throws another error only if a retry cannot help, for
  /// example if the app's schema was never published or no longer is.
  ///
  /// - Parameters:
  ///   - policy: The limits on each update, including the first download. By default, the first download is
  ///     unlimited, and ``UpdatePolicy/background`` limits later updates.
  ///   - onFailure: Called in the caller's isolation with each failure that is retried.
  public nonisolated func keepUpdated(
    _ policy: UpdatePolicy? = nil, onFailure: (SeedError) -> Void = { _ in }
  ) async throws -> Never {
    var failures = 0
    while true {
      var asked: Duration?
      do {
        _ = try await inTurn { store in try await store.performUpdate(policy) }
        failures = 0
      } catch  where error.code == .suspended {
        await untilAccess(is: .open, .closed)
        if Task.isCancelled { throw SeedError(CancellationError()) }
        continue
      } catch {
        guard error.isRetryable, error.code != .cancelled else { throw error }
        (failures, asked) = (failures + 1, error.retryAfter)
        onFailure(error)
      }
      try await pause(afterFailures: failures, asked: asked)
    }
  }

  /// Seconds until caches serve a new publication; an earlier update would find nothing.
  private static let pushDelay = 2.0

  /// Updates once after a random delay of two to fifteen seconds, which spreads the requests of many devices that got
  /// the same push message.
  ///
  /// The message needs no content, and regular updates need no messages.
  ///
  /// - Parameters:
  ///   - spread: The longest random delay after the first two seconds. The default leaves enough of a silent push's
  ///     thirty seconds for the download. Use a longer delay if the server cannot answer all devices in that time.
  ///   - policy: The limits on the update, with the same default as in ``keepUpdated(_:onFailure:)``.
  /// - Returns: The report, or `nil` if an update for an earlier message is still delayed and covers this one.
  @discardableResult
  public func updateOnPush(
    within spread: Duration = .seconds(13), _ policy: UpdatePolicy? = nil
  ) async throws -> UpdateReport? {
    guard !isPushPending else { return nil }
    isPushPending = true
    do {
      // A message after the delay needs another update, because this one may miss its changes.
      defer { isPushPending = false }
      try await sleepUnlessClosed(
        for: .seconds(Self.pushDelay) + max(spread, .zero) * environment.chance())
    }
    return try await inTurn { store in try await store.performUpdate(policy) }
  }

  private func pause(afterFailures failures: Int, asked: Duration?) async throws(SeedError) {
    let wait = currentState.record.pollInterval.wait(
      afterFailures: failures, chance: environment.chance(), asked: asked)
    try await sleepUnlessClosed(for: wait)
  }

  private func sleepUnlessClosed(for duration: Duration) async throws(SeedError) {
    do {
      try await withThrowingTaskGroup(of: Void.self) { [environment] group in
        group.addTask { try await environment.sleep(duration) }
        group.addTask { [self] in await untilAccess(is: .closed) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch { throw SeedError(error) }
  }
}
