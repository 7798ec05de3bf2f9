import SeedServer
import SeedSystem
import SeedTrust

/// Publishes one dataset on its schedule until it is cancelled. An error is reported and tried again.
struct PublishingService: Sendable {
  let publisher: RecordedPublisher
  let job: DatasetJob
  let checkSeconds: Int
  /// Takes what a step did.
  let report: @Sendable (StepReport) -> Void
  /// Takes what went wrong; the same error is not said twice in a row.
  let warn: @Sendable (String) -> Void
  /// Holds back what steps warn of again and again.
  let repeated: RepeatedWarnings

  /// Seconds after which a step runs though the origin looks the same: snapshots and signatures fall due.
  private static let restSeconds = 60

  /// What the last good step saw; no stamp where there was no origin, as a retired dataset needs none.
  private struct Memory: Equatable {
    let stamp: OriginStamp?
    let at: UTCTime
  }

  /// The service; a function that ends only by cancellation. Snapshots are made while further steps publish.
  func run() async {
    let (steps, step) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await withTaskGroup { group in
      group.addTask { await publishChanges { step.yield() } }
      group.addTask { await publishSnapshots(after: steps) }
    }
  }

  private func publishChanges(_ afterStep: () -> Void) async {
    var memory: Memory?
    var lastError: String?
    while !Task.isCancelled {
      lastError = await warned(lastError) {
        let seen = try await look(memory)
        if seen != memory { afterStep() }
        memory = seen
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

  /// Says what goes wrong, unless it was said last time; returns what was wrong.
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

  /// The changes of one step, whatever the origin looks like; a first version comes with its snapshot.
  func stepOnce() async throws {
    let (publisher, job) = (publisher, job)
    tell(try await blocking { try publisher.publishChanges(job, now: .now()) })
  }

  private func tell(_ outcome: StepReport) {
    for warning in outcome.warnings where repeated.isDue("\(job.name): \(warning)", now: .now()) {
      warn("\(job.name): \(warning)")
    }
    report(outcome)
  }

  private func look(_ memory: Memory?) async throws -> Memory {
    let now = UTCTime.now()
    // Taken before the step reads: what is written meanwhile shows at the next look.
    let stamp = try? OriginStamp(job.originPath, now: now)
    if let memory, isResting(memory, stamp, now) { return memory }
    // Where the origin is away the step says so, and keeps the signatures of what is published fresh.
    try await stepOnce()
    return Memory(stamp: stamp, at: now)
  }

  private func isResting(_ memory: Memory, _ stamp: OriginStamp?, _ now: UTCTime) -> Bool {
    memory.stamp == stamp && memory.stamp?.isTrustworthy ?? true
      // A clock that was set back must not make it rest until then.
      && (0..<Self.restSeconds).contains(now.secondsSinceEpoch - memory.at.secondsSinceEpoch)
  }
}
