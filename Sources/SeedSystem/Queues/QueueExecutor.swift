import Dispatch

/// Runs an actor's jobs on a dispatch queue, so that blocking work does not occupy Swift's thread pool.
/// `DispatchSerialQueue`, which is such an executor, does not exist on Linux.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor whose jobs may block, because they run on its own dispatch queue.
package protocol BlockingActor: Actor { nonisolated var executor: QueueExecutor { get } }

extension BlockingActor {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
