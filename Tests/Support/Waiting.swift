package import Foundation

/// How long a test waits for something before it fails, unless it says otherwise; not a limit of the product. It is less than
/// what a test may take, so that the failure names what did not come.
package let longestWait: TimeInterval = Stage.current == .quick ? 40 : 120

/// Looks until `attempt` yields something, and fails after `patience` seconds.
///
/// It blocks its thread, and asks once more after the last pause: a machine may stand still for a moment.
@discardableResult
package func eventually<Value>(
  _ what: String, within patience: TimeInterval = longestWait, every pause: TimeInterval = 0.05,
  _ attempt: () throws -> Value?
) throws -> Value {
  let deadline = ContinuousClock.now + .seconds(patience)
  var isLate = false
  repeat {
    isLate = ContinuousClock.now > deadline
    if let value = try attempt() { return value }
    Thread.sleep(forTimeInterval: pause)
  } while !isLate
  throw NeverHappened(what: what)
}

/// Looks until `condition` holds, and fails after ``longestWait``.
package func waitUntil(
  _ what: String, every pause: TimeInterval = 0.001, _ condition: () throws -> Bool
) throws {
  try eventually(what, every: pause) { try condition() ? true : nil }
}

/// Looks until `condition` holds, and fails after ``longestWait``. The caller's actor goes on meanwhile.
package func until(_ condition: () -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(longestWait)
  var isLate = false
  repeat {
    isLate = ContinuousClock.now > deadline
    if condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  } while !isLate
  throw NeverHappened(what: "the condition holds")
}

/// What a test waited for did not come.
package struct NeverHappened: Error {
  package let what: String

  package init(what: String) {
    self.what = what
  }
}
