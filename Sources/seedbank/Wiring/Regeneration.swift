import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// One publish step for each of some datasets; what is wrong with one does not keep the others back.
struct Regeneration {
  let deployment: Deployment
  let options: StepOptions
  let isDryRun: Bool
  let asJSON: Bool
  let console: Console
  private var failures: [CommandFailure] = []
  private var abandoned: [AbandonedSeries] = []

  init(_ deployment: Deployment, _ arguments: ParsedArguments, _ console: Console) {
    self.deployment = deployment
    self.console = console
    options = StepOptions(
      forcingSnapshot: arguments.flag("snapshot"), acceptingShrink: arguments.flag("accept-shrink"),
      isResuming: arguments.flag("resume"), isClockAssured: arguments.flag("trust-clock"))
    isDryRun = arguments.flag("dry-run")
    asJSON = arguments.flag("json")
  }

  /// Tries every dataset; then says what was wrong, and throws the first of it.
  mutating func run(_ datasets: [DatasetConfiguration]) throws {
    // What is wrong with the publication is the steps' to say.
    if let published = try? deployment.publication.published() {
      abandoned = AbandonedSeries.all(in: published, deployment.configuration)
    }
    let configured = Set(deployment.configuration.datasets.map(\.name))
    for series in abandoned where !configured.contains(series.series.dataset) {
      console.warning(series.warning)
    }
    for dataset in datasets {
      switch Result(catching: { try work(dataset) }) {
      case .success(let report): try tell(report, dataset.name)
      case .failure(let error): try tell(error, dataset.name)
      }
    }
    try checkSignatures()
    for failure in failures.dropFirst() { console.error(failure.message) }
    if let first = failures.first { throw first }
  }

  /// A timer's owner must hear of it where clients refuse what is published, whatever the steps say.
  private mutating func checkSignatures() throws {
    guard let standing = deployment.signatures(now: .now()) else { return }
    standing.warnings.forEach(console.warning)
    if let failure = standing.failure, !isDryRun { failures.append(failure) }
  }

  private func work(_ dataset: DatasetConfiguration) throws -> StepReport {
    let job = try DatasetJob(dataset)
    let publisher = deployment.publisher
    return try isDryRun
      ? publisher.preview(job, options, now: .now()) : publisher.step(job, options, now: .now())
  }

  private mutating func tell(_ report: StepReport, _ dataset: DatasetName) throws {
    let warnings = report.warnings + abandoned.filter { $0.series.dataset == dataset }.map(\.warning)
    for warning in warnings { console.warning("\(dataset): \(warning)") }
    if asJSON {
      try console.result(report.json(dataset, warnings: warnings))
    } else {
      for line in report.lines { try console.result(line) }
    }
    if !report.held.isEmpty { failures.append(Self.heldFailure(report.held)) }
    if let shrunk = report.shrinkError { note(FailureReport(shrunk), dataset) }
  }

  private mutating func tell(_ error: any Error, _ dataset: DatasetName) throws {
    let report = FailureReport(error)
    note(report, dataset)
    guard asJSON else { return }
    try console.result(
      ["dataset": .string(dataset.text), "dryRun": .bool(isDryRun), "error": report.json] as JSONValue)
  }

  /// The dataset is named where there are several.
  private mutating func note(_ report: FailureReport, _ dataset: DatasetName) {
    let isAlone = deployment.configuration.datasets.count == 1
    let message = isAlone ? report.message : "\(dataset): \(report.message)"
    failures.append(CommandFailure(report.exitCode, message, isInResult: true))
  }

  private static func heldFailure(_ series: [Series]) -> CommandFailure {
    let names = series.map(\.description).joined(separator: ", ")
    return CommandFailure(
      .badData,
      "\(names): held since a rollback, so nothing new is published;"
        + " 'seedbank regenerate --resume' publishes the origin again.", isInResult: true)
  }
}
