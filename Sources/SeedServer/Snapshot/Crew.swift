import SeedHTTP
import SeedSystem

/// As many threads as there are processors, for a list of jobs.
///
/// Whoever is free takes the next job, so the longest should stand first. More threads than processors would share
/// them evenly, and a long job that nothing else can help with would still run when all the others are done.
final class Crew: Sendable {
  typealias Job = @Sendable () throws -> Void

  private let jobs: [Job]
  private let next = Mutex(0)

  private init(_ jobs: [Job]) { self.jobs = jobs }

  /// Does all jobs, the first in the list first; throws the first error, after which no job is begun.
  static func run(_ jobs: [Job], threads: Int) throws {
    let (crew, work) = (Crew(jobs), SideWork())
    for _ in 0..<min(threads, jobs.count) { work.start { try crew.work() } }
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
