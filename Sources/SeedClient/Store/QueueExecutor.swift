import Dispatch

/// Runs an actor's jobs on a dispatch queue, so that what blocks does not hold up Swift's own threads.
///
/// `DispatchSerialQueue`, which is such an executor, does not exist on Linux.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
