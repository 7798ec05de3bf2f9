import SeedDatabase
import SeedFormat
import SeedTrust

extension SeedStore {
  /// Takes one look at the server and does what it calls for.
  ///
  /// Whatever fails, the data that was there stays. When another update is under way this one waits for its
  /// end. Cancelling the task ends the update; the data is the old or the new.
  @discardableResult
  public func update(_ policy: UpdatePolicy = UpdatePolicy()) async throws(SeedError) -> UpdateReport {
    try await update(policy, onPhase)
  }

  /// An update as the sequence of its phases, with the report as the last one.
  ///
  /// Each iteration is an update of its own; ending it cancels the update, and the data is the old or the new. Within
  /// a phase, news come a tenth of a second apart at least.
  ///
  /// ```swift
  /// for try await phase in seeds.updatePhases() {
  ///   if case .downloading(let bytes, let totalBytes) = phase { show(bytes, of: totalBytes) }
  /// }
  /// ```
  public nonisolated func updatePhases(
    _ policy: UpdatePolicy = UpdatePolicy()
  ) -> some AsyncSequence<UpdatePhase, SeedError> & Sendable {
    UpdatePhases { [self, onPhase] tell throws(SeedError) in
      try await update(policy) { phase in
        onPhase(phase)
        tell(phase)
      }
    }
  }

  /// What an update would do now and how many bytes it would download; nothing but metadata is fetched for it.
  public func updatePlan() async throws(SeedError) -> UpdatePlan {
    try await inTurn { store in
      let journey = try await store.setOut(store.errand(UpdatePolicy()) { _ in })
      store.noteSuccess(hasChanged: false)
      await store.keepState()
      return try journey.plan
    }
  }

  /// Prepares, updates, and goes on looking at the pace that the publisher asks for, until the task is
  /// cancelled.
  ///
  /// A failed look takes nothing away and does not end this: the next one comes after a wait that grows with
  /// every failure, and that is not shorter than the server asks for; ``state`` says what is wrong. It throws
  /// `CancellationError` when the task is cancelled, and a ``SeedError`` when trying again cannot help: the app's
  /// schema is not the published one, or no longer published.
  ///
  /// - Parameters:
  ///   - policy: What each look may do once there is data; the first download may do all.
  ///   - onFailure: Is told of each failed look that another one follows.
  public func keepUpdated(
    _ policy: UpdatePolicy = .background, onFailure: @Sendable (SeedError) -> Void = { _ in }
  ) async throws {
    var failures = 0
    while true {
      let failure = await failureOfLook(policy)
      switch failure {
      case nil: failures = 0
      case let failure? where failure.code == .suspended:
        try await untilResumed()
        continue
      case let failure? where failure.isRetryable:
        failures += 1
        onFailure(failure)
      case let failure?: throw failure.code == .cancelled ? CancellationError() : failure
      }
      try await surroundings.sleep(
        pace.wait(afterFailures: failures, chance: surroundings.chance(), asked: failure?.retryAfter))
    }
  }

  private func failureOfLook(_ policy: UpdatePolicy) async -> SeedError? {
    do {
      // What is on the device is shown before the server is asked.
      try await prepare()
      try await update(policy)
      return nil
    } catch {
      return error
    }
  }

  private func update(
    _ policy: UpdatePolicy, _ tell: @escaping @Sendable (UpdatePhase) -> Void
  ) async throws(SeedError) -> UpdateReport {
    try await inTurn { store in try await store.looking(store.errand(policy, tell)) }
  }
}
