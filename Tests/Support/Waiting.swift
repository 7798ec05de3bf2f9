package import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
  /// What every suite has, so that a test which hangs fails.
  ///
  /// It is far more than any test takes: all of them share the threads of few processors, and a test's time goes
  /// on while others use them. A deep run tries thousands of faults in one test.
  package static var bounded: Self { .timeLimit(.minutes(isDeep ? 600 : 25)) }

  private static var isDeep: Bool { ProcessInfo.processInfo.environment["SEEDBANK_DEEP"] != nil }
}

/// How long a test waits for something before it fails, unless it says otherwise; no figure of the product.
package let longestWait: TimeInterval = 120

/// Looks until `attempt` yields something, and fails after `patience` seconds.
///
/// It blocks its thread on purpose: where all threads of the pool are busy with other tests, a task that sleeps
/// wakes up minutes later and would take that for a failure.
@discardableResult
package func eventually<Value>(
  _ what: String, within patience: TimeInterval = longestWait, every pause: TimeInterval = 0.05,
  _ attempt: () throws -> Value?
) throws -> Value {
  for _ in 0..<Int(patience / pause) {
    if let value = try attempt() { return value }
    Thread.sleep(forTimeInterval: pause)
  }
  throw NeverHappened(what: what)
}

/// Looks until `condition` holds, and fails after ``longestWait``.
package func waitUntil(
  _ what: String, every pause: TimeInterval = 0.001, _ condition: () throws -> Bool
) throws {
  try eventually(what, every: pause) { try condition() ? true : nil }
}

/// Looks until `condition` holds, and fails after a minute. The caller's actor goes on meanwhile.
package func until(_ condition: () -> Bool) async throws {
  for _ in 0..<6000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  throw NeverHappened(what: "the condition holds")
}

extension Process {
  /// How long a program of a test may take to end, on a busy machine too: ten minutes.
  private static let longestRun: TimeInterval = 600

  /// Waits until the program has ended. One that does not is killed, which its status says.
  package func waitForEnd() {
    let end = Date(timeIntervalSinceNow: Self.longestRun)
    while isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.005) }
    if isRunning { kill(processIdentifier, SIGKILL) }
    waitUntilExit()
  }
}

/// What a test waited for did not come.
package struct NeverHappened: Error {
  package let what: String

  package init(what: String) {
    self.what = what
  }
}
