import Dispatch
import SeedHTTP
import SeedSystem

import class Foundation.Thread

/// Work on other threads, beside what its owner does meanwhile. Its owner calls ``finish()`` whatever happens.
final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts one piece, on a thread of its own: Dispatch has no more threads than there are processors, and whatever
  /// else runs on them would have to end first.
  func start(_ body: @escaping @Sendable () throws -> Void) {
    group.enter()
    Thread.detachNewThread { [self] in
      defer { group.leave() }
      do {
        try body()
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }

  /// Waits for all pieces; throws the first error that one of them had.
  func finish() throws {
    group.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
