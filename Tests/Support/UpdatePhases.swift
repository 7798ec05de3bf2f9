package import SeedClient

extension SeedStore {
  /// An update as a sequence of its phases. Ending the iteration cancels the update.
  package nonisolated func updatePhases() -> AsyncThrowingStream<UpdatePhase, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await update { continuation.yield($0) }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
