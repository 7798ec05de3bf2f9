import Dispatch

/// Runs work that blocks on files and SQLite outside the concurrency pool, whose threads are as few as the cores.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: work)) }
  }
}
