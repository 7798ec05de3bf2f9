import Dispatch
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Publishes one dataset on its schedule until it is cancelled. An error is reported and tried again.
struct PublishingService: Sendable {
  let publisher: Publisher
  let dataset: FollowedDataset
  let checkSeconds: Int
  let front: Front
  let console: Console
  let repeated: RepeatedWarnings
  let notices: Notices
  private let failures = WorkFailures()

  /// What changes is published in one loop, snapshots are made in another.
  enum Work { case changes, snapshots }

  private var job: DatasetJob { dataset.job }

  /// The service; a function that ends only by cancellation. Snapshots are made while further steps publish.
  func run() async {
    let (steps, step) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await withTaskGroup { group in
      group.addTask { await publishChanges { step.yield() } }
      group.addTask { await publishSnapshots(after: steps) }
    }
  }

  private func publishChanges(_ afterStep: () -> Void) async {
    var seen: (any OriginStamp)?
    let alarm = OriginAlarm(job.origin.watchedFile)
    while !Task.isCancelled {
      let start = ContinuousClock.now
      await warning(.changes) {
        // Forgotten by a step that fails: the next one must be made and noted, though the origin is as it was.
        let last = seen
        seen = nil
        if let renewed = try await renewed(last, alarm) {
          seen = renewed
          return
        }
        // Where the origin is away the step says so, and keeps the signatures of what is published fresh.
        seen = try await stepOnce()
        afterStep()
      }
      let (check, spent) = (Duration.seconds(checkSeconds), ContinuousClock.now - start)
      // Cancelled while it rests: the loop's condition ends it.
      await alarm.rest(atLeast: OriginAlarm.leastRest(after: spent, every: check), atMost: check)
    }
  }

  /// A disk that hangs must not hold a thread that tasks share.
  private func renewed(_ stamp: (any OriginStamp)?, _ alarm: OriginAlarm) async throws
    -> (any OriginStamp)?
  {
    try await blocking {
      // First: what is written between the look and the watch would wake nobody.
      alarm.watch()
      return dataset.look() ? nil : stamp?.renewed()
    }
  }

  private func publishSnapshots(after steps: AsyncStream<Void>) async {
    for await _ in steps {
      await warning(.snapshots) {
        let (publisher, job) = (publisher, job)
        await tell(try await blocking { try publisher.publishSnapshots(job, now: .now()) })
      }
    }
  }

  /// Says what is wrong, if anything is, once until it is another error: the schedule repeats the work.
  private func warning(_ work: Work, _ body: () async throws -> Void) async {
    do {
      try await body()
      if let time = failures.end(work) {
        say("\(dataset.name): \(work.recovery), after \(time)", .notice)
      }
    } catch {
      if failures.isNews("\(error)", of: work) {
        say(FailureReport(error).message, .error)
        try? await blocking { [notices, name = dataset.name] in notices.tell(error, of: name) }
      }
    }
  }

  func attempt() async { await warning(.changes) { _ = try await stepOnce() } }

  /// Whatever the origin looks like; a first version comes with its snapshot. Returns the origin as the step saw it.
  private func stepOnce() async throws -> (any OriginStamp)? {
    let (publisher, job) = (publisher, job)
    let outcome = try await blocking { try publisher.publishChanges(job, now: .now()) }
    await tell(outcome)
    return outcome.originStamp
  }

  private func tell(_ outcome: StepReport) async {
    for warning in outcome.warnings + [dataset.remark].compactMap(\.self)
    where repeated.isDue("\(dataset.name): \(warning)", now: .now()) {
      say("\(dataset.name): \(warning)", .warning)
    }
    do {
      if !outcome.isUnchanged { try front.reload() }
    } catch {
      console.warning("\(error)")
    }
    for series in outcome.series { console.tell(series.record) }
    try? await blocking { [notices, name = dataset.name] in notices.tell(outcome, of: name) }
  }

  private func say(_ message: String, _ level: LogLevel) {
    console.tell(LogRecord(level, message, [JSONMember("dataset", .string(dataset.name.text))]))
  }
}

extension PublishingService.Work {
  fileprivate var recovery: String {
    switch self {
    case .changes: "publish steps succeed again"
    case .snapshots: "snapshots are made again"
    }
  }
}

/// The failures of a dataset's work that last. Each is logged once, and so is its end.
final class WorkFailures: Sendable {
  private struct Failure {
    let message: String
    let began: ContinuousClock.Instant
  }

  private let state = Mutex<[PublishingService.Work: Failure]>([:])

  /// Notes a failure; true unless the work failed like this the last time.
  func isNews(_ message: String, of work: PublishingService.Work, at now: ContinuousClock.Instant = .now)
    -> Bool
  {
    state.withLock { state in
      let last = state[work]
      state[work] = Failure(message: message, began: last?.began ?? now)
      return last?.message != message
    }
  }

  /// Notes a success; returns how long the work had failed, or nil if it had not.
  func end(_ work: PublishingService.Work, at now: ContinuousClock.Instant = .now) -> TimeSpan? {
    state.withLock { $0.removeValue(forKey: work).map { TimeSpan(now - $0.began) } }
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
