extension SeedStore {
  /// Runs `body` when its turn has come: what changes the store comes one after the other.
  ///
  /// `body` runs in a task of its own, which ends with the caller's and which ``suspend()`` can cancel. Whatever it
  /// throws leaves as a ``SeedError``, which ``state`` shows where it is a look that failed.
  func inTurn<Result: Sendable>(
    isLook: Bool = true, _ body: @escaping @Sendable (isolated SeedStore) async throws -> Result
  ) async throws(SeedError) -> Result {
    guard await takeTurnUnlessCancelled() else { throw SeedError(CancellationError()) }
    defer { turns.end() }
    guard !suspension.isSuspended else { throw .suspended }
    let task = Task { try await body(self) }
    suspension.watch { task.cancel() }
    defer { suspension.watch(nil) }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      throw suspension.isSuspended ? .suspended : failure(error, isLook: isLook)
    }
  }

  /// For what must be done, whoever wants it no more.
  func takeTurn() async {
    if !turns.takeIfFree() { _ = await withCheckedContinuation { turns.wait($0) } }
  }

  /// False where the caller was cancelled while it waited.
  func takeTurnUnlessCancelled() async -> Bool {
    if turns.takeIfFree() { return true }
    let place = Waiters.Place()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turns.wait($0, at: place) }
    } onCancel: {
      // Behind this on the actor: by then the place is taken.
      Task { await self.giveUpTurn(place) }
    }
  }

  private func giveUpTurn(_ place: Waiters.Place) { turns.giveUp(place) }

  private func failure(_ error: any Error, isLook: Bool) -> SeedError {
    let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
    if isLook, failure.code != .cancelled { state.lastError = failure }
    return failure
  }
}
