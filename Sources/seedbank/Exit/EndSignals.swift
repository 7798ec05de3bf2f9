import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The signals by which an operator or a supervisor asks the process to end.
enum EndSignals {
  private static let all = [SIGINT, SIGTERM]

  /// Runs `body` until it is done, or until a signal comes: then it is cancelled, and its end is waited for.
  static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let sources = all.map { number in
      // Else the default action ends the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in task.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch is CancellationError {
      return
    }
  }
}
