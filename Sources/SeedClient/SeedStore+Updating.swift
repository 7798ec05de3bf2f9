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
  ///   - policy: Limits the update.
  ///   - onPhase: Called with the update's phases in the caller's isolation, at most ten times a second in each phase.
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

  /// The steps that an update would take now, and its download size; fetches only metadata.
  public func updatePlan() async throws -> UpdatePlan {
    try await inTurn { store in
      let plan = try await store.planUpdate(UpdatePolicy(), .silent).plan
      await store.noteSuccess(hasChanged: false)
      return plan
    }
  }

  /// Updates repeatedly at the publisher's interval, until the task is cancelled.
  ///
  /// A failed update keeps the old data and sets the error in ``state``. The next one runs after a delay that grows
  /// with every failure and is at least as long as the server asks for.
  ///
  /// Throws ``SeedError/Code/cancelled`` after the task is cancelled, even while the store is suspended; a
  /// running update ends first, with either the old or the new data. Throws other errors if a retry cannot
  /// help, for example because the app's schema is not, or is no longer, published.
  ///
  /// - Parameters:
  ///   - policy: Limits each update, including the first download. By default, the first download is unlimited, and
  ///     ``UpdatePolicy/background`` limits later updates.
  ///   - onFailure: Called with each failure that is retried, in the caller's isolation.
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
        await untilResumed()
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

  /// Seconds until a publication is visible through a cache; an earlier update would find nothing.
  private static let pushDelay = 2.0

  /// Updates once after a random delay of two to fifteen seconds, which spreads the requests of many devices that got
  /// the same push message.
  ///
  /// The message needs no content, and regular updates need no messages. Messages during the delay cause one update.
  ///
  /// - Parameters:
  ///   - spread: The longest random delay after the first two seconds. The default leaves time for the download in the
  ///     thirty seconds of a silent push; set more if the server cannot answer all devices in that time.
  ///   - policy: Limits the update like that of ``keepUpdated(_:onFailure:)``.
  /// - Returns: The report, or `nil` if the update of an earlier message is still delayed and covers this one.
  @discardableResult
  public func updateOnPush(
    within spread: Duration = .seconds(13), _ policy: UpdatePolicy? = nil
  ) async throws -> UpdateReport? {
    guard !isPushPending else { return nil }
    isPushPending = true
    do {
      // A later message needs another update, because this one may miss its changes.
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
        group.addTask { [self] in await untilClosed() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch { throw SeedError(error) }
  }
}
