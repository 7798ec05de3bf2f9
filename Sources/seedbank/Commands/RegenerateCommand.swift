import Dispatch
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let regenerate = Command(
    name: "regenerate", abstract: "Publish the changes of the origins, once.",
    discussion: """
      Runs one publish step for each dataset; meant for a timer. An unchanged origin costs little and publishes \
      nothing. Only one process publishes at a time; a second one waits up to 10 seconds, then exits with 75. A \
      table that lost more rows than 'shrink' allows, or a column that lost its values in as many, holds its dataset \
      back (65) until --accept-shrink.

      Every dataset is tried, even after another one failed; the exit code is that of the first failure.

      A series that 'rollback' holds stays as it is, with its signatures renewed, and the exit code is 65 \
      until --resume.

      Root and targets metadata is renewed well before it expires if the keys are here. Otherwise there are warnings \
      in the last \(SignatureExpiry.warningDays) days, and the exit code is 78 once clients reject the publication.
      """,
    options: [
      .config, .onlyDataset,
      .flag("snapshot", help: "Publish a snapshot of the newest version, regardless of the schedule."),
      .flag(
        "accept-shrink",
        help: "Publish even if tables lost more rows, or columns more values, than 'shrink' allows."),
      .flag("resume", help: "Resume publishing series that a rollback holds."),
      .flag(
        "trust-clock",
        help:
          "Replace signatures made while a clock was ahead with ones that expire sooner. This clock must be right."
      ),
      .flag("dry-run", help: "Show what would be published, without publishing."),
      .json,
    ] + Parameter.log,
    examples: [
      ("seedbank regenerate", "Publish the changes of every dataset."),
      ("seedbank regenerate --dry-run", "Show what would be published, table by table."),
      (
        "seedbank regenerate --dataset transit --snapshot --json",
        "Publish one dataset with a snapshot, for a script."
      ),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    context.console.startLog(configuration.log.format, from: configuration.log.level)
    let datasets = try configuration.datasets(chosenBy: arguments)
    let isDryRun = arguments.flag("dry-run")
    let notices = StepNotices(configuration, context)
    let deployment =
      try isDryRun
      ? Deployment(configuration, context) : .noting(datasets, of: configuration, context, notices)
    let mirrors = Mirrors(configuration, deployment.publication, context)
    if !isDryRun {
      do {
        try await mirrors.check()
      } catch {
        deployment.publisher.note(error, .publication, of: datasets, notices)
        throw error
      }
    }
    var regeneration = Regeneration(deployment, arguments, context.console, notices)
    let result = Result { try regeneration.run(datasets) }
    // Reports one dataset's publication even if another failed.
    if !isDryRun {
      deployment.updateFacts(context)
      do {
        try await mirrors.push()
      } catch {
        if case .success = result {
          deployment.publisher.note(error, .publication, of: datasets, notices)
          throw error
        }
        context.console.error(Refusal(of: error).message)
      }
    }
    try result.get()
  }
}

/// Shows each part of a step that takes two seconds: as a progress line on a terminal, elsewhere as a message.
private final class SlowParts: Sendable {
  private let console: Console
  /// A queue of its own, because the step may occupy all threads of a shared one.
  private let queue = DispatchQueue(label: "seedbank.parts")
  private let newest = Mutex(0)

  init(_ console: Console) { self.console = console }

  func begin(_ part: String) {
    let number = end()
    queue.asyncAfter(deadline: .now() + 2) { [self] in
      newest.withLock { newest in
        guard newest == number else { return }
        if console.showsProgress { console.progress(part) } else { console.note(part) }
      }
    }
  }

  /// Returns the number of the next part.
  @discardableResult
  func end() -> Int {
    newest.withLock { newest in
      newest += 1
      return newest
    }
  }
}

/// One publish step for each dataset; an error of one does not stop the others.
private struct Regeneration {
  let deployment: Deployment
  let options: StepOptions
  let isDryRun: Bool
  let console: Console
  private let notices: StepNotices
  private let parts: SlowParts
  private var failures: [Refusal] = []
  private let abandoned: [AbandonedSeries]

  init(_ deployment: Deployment, _ arguments: ParsedArguments, _ console: Console, _ notices: StepNotices) {
    (self.deployment, self.console, abandoned) = (deployment, console, deployment.abandonedSeries)
    (self.notices, parts) = (notices, SlowParts(console))
    options = StepOptions(
      forcingSnapshot: arguments.flag("snapshot"), acceptingShrink: arguments.flag("accept-shrink"),
      isResuming: arguments.flag("resume"), isClockAssured: arguments.flag("trust-clock"))
    isDryRun = arguments.flag("dry-run")
  }

  mutating func run(_ datasets: [DatasetConfiguration]) throws {
    let configured = Set(deployment.configuration.datasets.map(\.name))
    for series in abandoned where !configured.contains(series.series.dataset) {
      console.warning(series.warning)
    }
    for dataset in datasets {
      var report = StepReport()
      do { try work(dataset, &report) } catch {
        try finish(dataset.name, after: report, error)
        continue
      }
      try finish(dataset.name, after: report)
    }
    try checkSignatures()
    for failure in failures.dropFirst() { console.error(failure.message) }
    if let first = failures.first { throw first }
  }

  /// Fails if clients reject the published signatures, whatever the steps' results, so that a timer reports it.
  private mutating func checkSignatures() throws {
    guard let standing = deployment.signatures(now: .now()) else { return }
    standing.warnings.forEach(console.warning)
    if let failure = standing.failure.map(Refusal.init(of:)), !isDryRun { failures.append(failure) }
  }

  private func work(_ dataset: DatasetConfiguration, _ report: inout StepReport) throws {
    var publisher = deployment.publisher
    publisher.progress = parts.begin
    defer { parts.end() }
    if isDryRun {
      report = try publisher.preview(DatasetJob(dataset), options, now: .now())
    } else {
      try publisher.step(publisher.job(dataset), options, now: .now(), &report)
    }
  }

  private mutating func finish(_ dataset: DatasetName, after report: StepReport) throws {
    let warnings = report.warnings + abandoned.filter { $0.series.dataset == dataset }.map(\.warning)
    try console.report(report, of: dataset, warnings)
    if !isDryRun { notices.start(after: report, of: dataset) }
    if !report.held.isEmpty { failures.append(heldFailure(report.held, dataset)) }
    if let shrunk = report.shrinkError { note(Refusal(of: shrunk), dataset) }
  }

  /// `report` has what the step published before it failed.
  private mutating func finish(
    _ dataset: DatasetName, after report: StepReport, _ error: any Error
  ) throws {
    let refusal = Refusal(of: error)
    note(refusal, dataset)
    if !isDryRun {
      notices.start(after: report, of: dataset)
      notices.start(after: error, of: dataset)
    }
    for warning in report.warnings { console.warning("\(dataset): \(warning)") }
    guard console.isJSON else {
      if !report.isUnchanged { try console.result(report.text) }
      return
    }
    try console.result(
      [
        "dataset": .string(dataset.text), "dryRun": .bool(isDryRun),
        "series": .array(report.series.map(\.json)), "warnings": JSONValue(strings: report.warnings),
        "error": refusal.json,
      ] as JSONValue)
  }

  private mutating func note(_ report: Refusal, _ dataset: DatasetName) {
    let isAlone = deployment.configuration.datasets.count == 1
    let message = isAlone ? report.message : "\(dataset): \(report.message)"
    failures.append(Refusal(report.exitCode, message, isInResult: true))
  }

  /// Includes options already given, because a hint with one alone would lead to the next refusal.
  private func heldFailure(_ series: [SeedSeries], _ dataset: DatasetName) -> Refusal {
    let names = series.map(\.description).joined(separator: ", ")
    let isAlone = deployment.configuration.datasets.count == 1
    let command =
      "seedbank regenerate\(isAlone ? "" : " --dataset \(dataset)") --resume"
      + (options.acceptingShrink ? " --accept-shrink" : "")
    return Refusal(
      .badData,
      "\(names): held since a rollback, so nothing new is published; '\(command)' publishes the origin again.",
      isInResult: true)
  }
}
