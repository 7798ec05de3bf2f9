public import Foundation
import SeedSystem

/// A clock that the test advances.
///
/// A wait of up to four seconds, such as one between retries of a request, advances the clock and ends at once. A
/// longer wait, such as one of ``SeedClient/SeedStore/keepUpdated(_:onFailure:)``, ends when ``advance(by:)`` reaches
/// its time.
public final class ScriptedClock: Sendable {
  private struct State {
    var elapsed = Duration.zero
    var ends: [UUID: Duration] = [:]
  }

  /// Longer than any wait. Download timeouts have this length, so they never expire.
  static let never = Duration.seconds(1_000_000_000)
  private static let watch = Duration.seconds(100_000_000)
  private static let short = Duration.seconds(4)

  private let start: UTCTime
  private let state = Mutex(State())
  private let condition = AsyncCondition()

  init(start: UTCTime) { self.start = start }

  /// The current time, initially 1 August 2026 at 12:00 UTC.
  public var now: Date { Date(timeIntervalSince1970: Double(time.secondsSinceEpoch)) }

  /// Advances the time and ends the waits that are due.
  public func advance(by duration: Duration) {
    state.withLock { $0.elapsed += duration }
    condition.notify()
  }

  /// Returns once a task waits for a future time, as `keepUpdated` does between updates.
  public func untilWaiting() async {
    await condition.wait {
      self.state.withLock { state in state.ends.values.contains { $0 > state.elapsed } }
    }
  }

  var time: UTCTime { start.adding(seconds: Int(uptime.components.seconds)) }

  var uptime: Duration { state.withLock { $0.elapsed } }

  func sleep(_ duration: Duration) async throws {
    if duration <= Self.short {
      advance(by: duration)
      await Task.yield()
    } else if duration < Self.watch {
      await wait(duration)
    } else {
      await condition.wait { false }
    }
    try Task.checkCancellation()
  }

  private func wait(_ duration: Duration) async {
    let id = UUID()
    let end = state.withLock { state in
      state.ends[id] = state.elapsed + duration
      return state.elapsed + duration
    }
    defer { state.withLock { $0.ends[id] = nil } }
    condition.notify()
    await condition.wait { self.uptime >= end }
  }
}

/// Lets tasks wait for a condition without polling.
final class AsyncCondition: Sendable {
  private let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

  /// Returns once `holds` is true or the task is cancelled.
  func wait(until holds: @Sendable () -> Bool) async {
    while !Task.isCancelled {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let id = UUID()
      waiting.withLock { $0[id] = continuation }
      defer { waiting.withLock { $0[id] = nil } }
      // Checked after registering, so that no change is missed.
      if holds() { return }
      for await _ in stream {}
    }
  }

  /// Call after every change to a condition's inputs.
  func notify() {
    let all = waiting.withLock { Array($0.values) }
    for one in all { one.finish() }
  }
}

package final class Gate: Sendable {
  private struct State {
    var isClosed = false
    var standing = 0
  }

  private let state = Mutex(State())
  private let condition = AsyncCondition()

  package init() {}

  package func close() { state.withLock { $0.isClosed = true } }

  package func open() {
    state.withLock { $0.isClosed = false }
    condition.notify()
  }

  /// Waits until the gate is open; throws if the task is cancelled.
  package func pass() async throws {
    guard state.withLock({ $0.isClosed }) else { return }
    state.withLock { $0.standing += 1 }
    defer { state.withLock { $0.standing -= 1 } }
    condition.notify()
    await condition.wait { !self.state.withLock { $0.isClosed } }
    try Task.checkCancellation()
  }

  package func untilWaiting() async { await condition.wait { self.state.withLock { $0.standing > 0 } } }
}
