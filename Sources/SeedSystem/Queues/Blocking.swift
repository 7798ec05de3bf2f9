import Dispatch

/// Runs blocking work outside the concurrency pool, which has only one thread per core.
package func blocking<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    // A queue of its own, because a shared one may have a single thread, which could then not handle a signal.
    DispatchQueue(label: "seedbank.blocking").async {
      continuation.resume(with: Swift.Result(catching: work))
    }
  }
}
