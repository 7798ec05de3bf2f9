import Dispatch
import Synchronization

/// Work on other threads, beside what its owner does meanwhile. Its owner calls ``finish()`` whatever happens.
final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts one piece.
  func start(_ body: @escaping @Sendable () throws -> Void) {
    DispatchQueue.global().async(group: group) { [self] in
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
