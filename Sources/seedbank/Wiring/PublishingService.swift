import Dispatch
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Publishes one dataset on its schedule until it is cancelled. An error is reported and tried again.
struct PublishingService: Sendable {
  let publisher: Publisher
  let job: DatasetJob
  let checkSeconds: Int
  let front: Front
  let console: Console
  let repeated: RepeatedWarnings

  /// The service; a function that ends only by cancellation. Snapshots are made while further steps publish.
  func run() async {
    let (steps, step) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await withTaskGroup { group in
      group.addTask { await publishChanges { step.yield() } }
      group.addTask { await publishSnapshots(after: steps) }
    }
  }

  private func publishChanges(_ afterStep: () -> Void) async {
    var seen: OriginStamp?
    var lastError: String?
    while !Task.isCancelled {
      lastError = await warned(lastError) {
        if seen?.isCurrent(of: job) == true { return }
        // Where the origin is away the step says so, and keeps the signatures of what is published fresh.
        seen = try await stepOnce()
        afterStep()
      }
      // Cancelled while asleep: the loop's condition ends it.
      try? await Task.sleep(for: .seconds(checkSeconds))
    }
  }

  private func publishSnapshots(after steps: AsyncStream<Void>) async {
    var lastError: String?
    for await _ in steps {
      lastError = await warned(lastError) {
        let (publisher, job) = (publisher, job)
        tell(try await blocking { try publisher.publishSnapshots(job, now: .now()) })
      }
    }
  }

  private func warned(_ lastError: String?, _ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      let message = FailureReport(error).message
      if message != lastError { warn(message) }
      return message
    }
  }

  /// Says what is wrong, if anything is: the schedule repeats it.
  func attempt() async { _ = await warned(nil) { _ = try await stepOnce() } }

  /// Whatever the origin looks like; a first version comes with its snapshot. Returns the origin as the step saw it.
  private func stepOnce() async throws -> OriginStamp? {
    let (publisher, job) = (publisher, job)
    let outcome = try await blocking { try publisher.publishChanges(job, now: .now()) }
    tell(outcome)
    return outcome.originStamp
  }

  private func tell(_ outcome: StepReport) {
    for warning in outcome.warnings where repeated.isDue("\(job.name): \(warning)", now: .now()) {
      warn("\(job.name): \(warning)")
    }
    do {
      if !outcome.isUnchanged { try front.reload() }
    } catch {
      console.warning("\(error)")
    }
    for series in outcome.series { console.tell(series.record) }
  }

  private func warn(_ message: String) {
    console.tell(LogRecord(.error, message, [JSONMember("dataset", .string(job.name.text))]))
  }
}

/// Runs work that blocks on files and SQLite outside the concurrency pool, whose threads are as few as the cores.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    // On a queue of its own: the shared ones may have one thread, which then could not answer a signal.
    DispatchQueue(label: "seedbank.blocking").async {
      continuation.resume(with: Swift.Result(catching: work))
    }
  }
}

/// Lets a warning that stays true through once a day, so that a log is not filled with it.
final class RepeatedWarnings: Sendable {
  private let said = Mutex<[String: UTCTime]>([:])

  func isDue(_ warning: String, now: UTCTime) -> Bool {
    said.withLock { said in
      // A clock that was set back must not keep it silent until then.
      if let last = said[warning],
        (0..<UTCTime.secondsPerDay).contains(now.secondsSinceEpoch - last.secondsSinceEpoch)
      {
        return false
      }
      said[warning] = now
      return true
    }
  }
}
