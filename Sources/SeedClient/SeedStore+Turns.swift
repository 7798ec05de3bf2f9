extension SeedStore: TurnTaking {
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

  private func failure(_ error: any Error, isLook: Bool) -> SeedError {
    let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
    if isLook, failure.code != .cancelled { state.lastError = failure }
    return failure
  }
}
