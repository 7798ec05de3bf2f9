import Dispatch
import SeedSystem

import class Foundation.Thread

/// Runs a list of jobs on some threads.
///
/// A free thread takes the next job, so the longest should stand first. More threads than processors would share
/// them evenly, and a long job that nothing else can help with would still run when all the others are done.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () throws -> Void

  private let jobs: [Job]
  private let next = Mutex(0)

  private init(_ jobs: [Job]) { self.jobs = jobs }

  /// Runs all jobs, the first in the list first; throws the first error, after which no job is begun.
  static func run(_ jobs: [Job], threads: Int) throws {
    let (pool, work) = (WorkerPool(jobs), SideWork())
    for _ in 0..<min(threads, jobs.count) { work.start { try pool.work() } }
    try work.finish()
  }

  private func work() throws {
    while let job = take() {
      do {
        try job()
      } catch {
        next.withLock { $0 = jobs.count }
        throw error
      }
    }
  }

  private func take() -> Job? {
    next.withLock { next in
      guard next < jobs.count else { return nil }
      defer { next += 1 }
      return jobs[next]
    }
  }
}

/// Work on other threads, beside the work of its owner, who calls ``finish()`` in any case.
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
