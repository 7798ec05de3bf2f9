package import Foundation

/// Default timeout of a test's waits. It is shorter than a test's time limit, so that the failure names the missing
/// event.
package let longestWait: TimeInterval = Stage.current == .quick ? 40 : 120

/// Polls until `attempt` returns a value; throws after `patience` seconds, at most ``longestWait`` in a quick run. The
/// first pauses are shorter than `pause`.
///
/// Blocks its thread. Makes a last attempt after the timeout, because the machine may have been suspended.
@discardableResult
package func eventually<Value>(
  _ what: String, within patience: TimeInterval = longestWait, every pause: TimeInterval = 0.02,
  _ attempt: () throws -> Value?
) throws -> Value {
  let seconds = Stage.current == .quick ? min(patience, longestWait) : patience
  let deadline = ContinuousClock.now + .seconds(seconds)
  var (isLate, next) = (false, 0.001)
  repeat {
    isLate = ContinuousClock.now > deadline
    if let value = try attempt() { return value }
    Thread.sleep(forTimeInterval: min(next, pause))
    next *= 2
  } while !isLate
  throw NeverHappened(what: what)
}

/// Polls until `condition` holds; throws after ``longestWait``.
package func waitUntil(
  _ what: String, every pause: TimeInterval = 0.01, _ condition: () throws -> Bool
) throws {
  try eventually(what, every: pause) { try condition() ? true : nil }
}

/// Like `waitUntil`, but without blocking the caller's actor.
package func until(
  _ what: String = "the condition holds", _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(longestWait)
  var isLate = false
  repeat {
    isLate = ContinuousClock.now > deadline
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(2))
  } while !isLate
  throw NeverHappened(what: what)
}

/// An expected event did not occur.
package struct NeverHappened: Error {
  package let what: String

  package init(what: String) {
    self.what = what
  }
}
