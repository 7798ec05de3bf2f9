import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let regenerate = Command(
    name: "regenerate", abstract: "Publish the changes of the origins, once.",
    discussion: """
      Runs one publish step for each dataset; meant for a timer. If an origin is unchanged, the step is cheap and publishes \
      nothing. Only one process publishes at a time; a second one waits up to 10 seconds, then exits with 75. If a \
      table lost more rows, or a column more values, than 'shrink' allows, its dataset is held \
      back (exit code 65) until --accept-shrink.

      Every dataset is tried, even after another one failed. The exit code is that of the first failure.

      If 'rollback' holds a series, only its signatures are renewed, and the exit code is 65 until --resume.

      If the keys are here, root and targets metadata is renewed well before it expires. Otherwise there are warnings \
      in the last \(SignatureExpiry.warningDays) days, and the exit code is 78 once clients reject the publication.
      """,
    options: [
      .config, .onlyDataset,
      .flag("snapshot", help: "Publish a snapshot of the newest version now, and replace lost ones."),
      .flag(
        "accept-shrink",
        help: "Publish even if tables or columns lost more rows or values than 'shrink' allows."),
      .flag("resume", help: "Resume publishing series that a rollback holds."),
      .flag(
        "trust-clock",
        help:
          "Replace signatures that were made while a clock was ahead, even if the new ones expire sooner. This machine's clock must be right."
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
    // If one dataset failed, another may have been published, so facts and mirrors are updated in any case.
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

/// Runs one publish step for each dataset. A failure of one does not stop the others.
private struct Regeneration {
  let deployment: Deployment
  let options: StepOptions
  let isDryRun: Bool
  let console: Console
  private let notices: StepNotices
  private var failures: [Refusal] = []
  private let abandoned: [AbandonedSeries]

  init(_ deployment: Deployment, _ arguments: ParsedArguments, _ console: Console, _ notices: StepNotices) {
    (self.deployment, self.console, abandoned) = (deployment, console, deployment.abandonedSeries)
    self.notices = notices
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

  /// Adds a failure if clients reject the published signatures, so that a timer reports it even if all steps succeeded.
  private mutating func checkSignatures() throws {
    guard let standing = deployment.signatures(now: .now()) else { return }
    standing.warnings.forEach(console.warning)
    if let failure = standing.failure.map(Refusal.init(of:)), !isDryRun { failures.append(failure) }
  }

  private func work(_ dataset: DatasetConfiguration, _ report: inout StepReport) throws {
    var publisher = deployment.publisher
    publisher.progress = { [console] in console.progress($0) }
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

  /// `report`: the part of the step that was published before it failed.
  private mutating func finish(_ dataset: DatasetName, after report: StepReport, _ error: any Error) throws {
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

  /// The suggested command repeats --accept-shrink if it was given, because --resume alone would fail again.
  private func heldFailure(_ series: [SeedSeries], _ dataset: DatasetName) -> Refusal {
    let names = series.map(\.description).joined(separator: ", ")
    let isAlone = deployment.configuration.datasets.count == 1
    let command =
      "seedbank regenerate\(isAlone ? "" : " --dataset \(dataset)") --resume"
      + (options.acceptingShrink ? " --accept-shrink" : "")
    return Refusal(
      .badData,
      "\(names): held since a rollback, so nothing new is published. Run '\(command)' to publish the origin again.",
      isInResult: true)
  }
}
