import Dispatch
import SeedSystem

import class Foundation.Thread

/// Runs jobs on some threads: a free one takes the next, so the longest should stand first. More threads than
/// processors would share them evenly, and a long job that nothing else can help with would end late.
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

/// Work on other threads, beside the work of its owner, who calls ``finish()`` in any case.
final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts one piece on a thread of its own: Dispatch has no more threads than processors, and they may be taken.
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
