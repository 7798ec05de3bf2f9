import Dispatch
import SeedSystem

import class Foundation.Thread

/// Runs jobs on a few threads. A free thread takes the next job, so put the longest first. With more threads than
/// processors, a long job that cannot be divided would end late.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () throws -> Void

  private let left: Mutex<ArraySlice<Job>>

  private init(_ jobs: [Job]) { left = Mutex(jobs[...]) }

  static func run(_ jobs: [Job], threads: Int) throws {
    let (pool, work) = (WorkerPool(jobs), SideWork())
    for _ in 0..<min(threads, jobs.count) { work.start { try pool.work() } }
    try work.finish()
  }

  private func work() throws {
    while let job = left.withLock({ $0.popFirst() }) {
      do {
        try job()
      } catch {
        left.withLock { $0 = [] }
        throw error
      }
    }
  }
}

/// Work on other threads, parallel to the owner's. The owner must always call ``finish()``.
final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts a dedicated thread, because Dispatch limits its threads to the number of processors and they may be busy.
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

  func finish() throws {
    group.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
