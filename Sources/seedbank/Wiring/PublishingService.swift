import SeedFormat
import SeedFront
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

/// Publishes one dataset on its schedule until cancelled. Reports and retries errors.
struct PublishingService: Sendable {
  let publisher: Publisher
  let dataset: FollowedDataset
  let checkSeconds: Int
  let front: Front
  let console: Console
  let repeated: RepeatedWarnings
  let notices: StepNotices
  private let failures = RepeatedFailures<Publisher.Half>()

  private var job: DatasetJob { dataset.job }

  /// Returns only after cancellation. Makes snapshots while further steps publish changes.
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
        // Cleared before the step, so that a failed step is repeated even if the origin is unchanged.
        let last = seen
        seen = nil
        if let renewed = try await renewed(last, alarm) {
          seen = renewed
          return
        }
        // If the origin is missing, the step reports that and renews signatures.
        seen = try await step(.changes).originStamp
        afterStep()
      }
      let (check, spent) = (Duration.seconds(checkSeconds), ContinuousClock.now - start)
      // If cancelled, `rest` returns, and the loop's condition ends the loop.
      await alarm.rest(atLeast: OriginAlarm.leastRest(after: spent, every: check), atMost: check)
    }
  }

  /// Runs outside the concurrency pool, because a disk may hang.
  private func renewed(_ stamp: (any OriginStamp)?, _ alarm: OriginAlarm) async throws -> (any OriginStamp)? {
    try await blocking {
      // Watches before it checks, because a write between a check and a later watch would go unnoticed.
      alarm.watch()
      return dataset.look() ? nil : stamp?.renewed()
    }
  }

  private func publishSnapshots(after steps: AsyncStream<Void>) async {
    for await _ in steps { await warning(.snapshots) { try await step(.snapshots) } }
  }

  /// Reports an error only when it begins or changes. The schedule retries the work.
  private func warning(_ half: Publisher.Half, _ body: () async throws -> Void) async {
    do {
      try await body()
      let recovery = half == .changes ? "publish steps succeed again" : "snapshots are made again"
      if let time = failures.end(half) { say("\(recovery), after \(time)", .notice) }
    } catch {
      if failures.isNews("\(error)", of: half) {
        say(Refusal(of: error).message, .error)
        try? await blocking { [notices, name = dataset.name] in notices.start(after: error, of: name) }
      }
    }
  }

  func attempt() async { await warning(.changes) { try await step(.changes) } }

  /// Publishes changes or makes snapshots, even from an unchanged origin. The first version includes a snapshot.
  @discardableResult
  private func step(_ half: Publisher.Half) async throws -> StepReport {
    let (publisher, job) = (publisher, job)
    let (report, result) = try await blocking {
      var report = StepReport()
      let result = Result { try publisher.step(job, half: half, now: .now(), &report) }
      return (report, result)
    }
    // Announces even after a failure, because the step may have published something before it failed.
    await announce(report)
    try result.get()
    return report
  }

  private func announce(_ report: StepReport) async {
    let held = report.held.map {
      "\($0) has been held since a rollback: \(SeriesProblem.held.words(in: dataset.name).remedy)"
    }
    for warning in report.warnings + held + [dataset.remark].compactMap(\.self)
    where repeated.isDue("\(dataset.name): \(warning)", now: .now()) {
      say(warning, .warning)
    }
    do {
      if !report.isUnchanged { try front.reload() }
    } catch {
      console.warning("\(error)")
    }
    for series in report.series { console.log(series.record) }
    try? await blocking { [notices, name = dataset.name] in notices.start(after: report, of: name) }
  }

  private func say(_ message: String, _ level: LogLevel) {
    let name = dataset.name.text
    console.log(LogRecord(level, "\(name): \(message)", [JSONMember("dataset", .string(name))]))
  }
}

struct StepNotices: Sendable {
  private let notices: Notices
  private let history: StepHistory

  init(_ configuration: DeploymentConfiguration, _ context: Context) {
    let folder = Folder.parent(of: configuration.file)
    notices = Notices(configuration.notices, in: folder, context.environment, report: context.console.log)
    history = StepHistory(configuration.state)
  }

  /// Runs the `on.published` program if the step published something new; blocks until it exits.
  func start(after step: StepReport, of dataset: DatasetName) {
    let news = step.series.filter(\.hasNews)
    guard !news.isEmpty else { return }
    notices.send(.published, ["dataset": .string(dataset.text), "series": .array(news.map(\.json))])
  }

  /// Runs the `on.failed` program unless the previous step failed in the same way; blocks until it exits.
  func start(after error: any Error, of dataset: DatasetName) {
    guard notices.has(.failed), !Publisher.isNoStep(error), !isRepeated(error, dataset) else { return }
    notices.send(.failed, ["dataset": .string(dataset.text), "error": Refusal(of: error).json])
  }

  /// Compares the history's text with the error's description and with its message: if the step could not begin, the
  /// history contains the message.
  private func isRepeated(_ error: any Error, _ dataset: DatasetName) -> Bool {
    guard let newest = (try? history.newest(1, of: dataset))?.first, let text = newest.error else {
      return false
    }
    let keys = ["\(error)", Refusal(of: error).message].map(\.failureKey)
    return newest.times > 1 && keys.contains(text.failureKey)
  }

  func end() { notices.end() }
}
