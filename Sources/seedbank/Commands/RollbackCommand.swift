import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let rollback = Command(
    name: "rollback", abstract: "Publish the content of an older version again, and hold the series.",
    discussion: """
      The old content becomes the next version, with a delta and a snapshot. Version numbers only grow, so every \
      client updates to it. From then on the series is held: its signatures are renewed, but its origin is not published \
      until 'seedbank regenerate --resume'. A second call changes nothing.
      """,
    options: [
      .config, .value("to", "version", isRequired: true, help: "The version to return to."), .dataset,
      .series, .dryRun, .json,
    ],
    examples: [
      ("seedbank rollback --to 41 --dry-run", "Show what would change."),
      ("seedbank rollback --to 41 --dataset transit --series 2", "Publish the content of version 41 again."),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let choice = try SeriesChoice(arguments, configuration)
    guard let version = try arguments.version("to") else { return }
    if arguments.flag("dry-run") {
      return try await blocking { try preview(choice, version, context.console) }
    }
    let deployment = try Deployment(configuration, context)
    try await Mirrors(configuration, deployment.publication, context).check()
    let job = try DatasetJob(choice.dataset)
    var report = StepReport()
    // Runs even if the snapshot fails, because the new version is published before it.
    defer { StepNotices(configuration, context).start(after: report, of: job.name) }
    try deployment.publisher.step(
      job, StepOptions(rollingBack: choice.series, to: version, job), now: .now(), &report)
    try context.console.report(report, of: job.name, report.warnings)
    context.console.note(
      "\(choice.series) is held at the content of version \(version) until "
        + "'seedbank regenerate --dataset \(job.name) --resume'.")
  }

  private static func preview(_ choice: SeriesChoice, _ version: SeedVersion, _ console: Console) throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let (series, published) = (choice.series, try choice.published())
    if choice.dataset.isRetired(series) { throw RecallError.notPublished(series) }
    let recall = SeriesRecall(choice.publication, published)
    if let newest = choice.newestModel { try recall.checkRollback(to: version, newest: newest) }
    let head = try recall.recall(published.state.head, to: scratch.file("head.sqlite"))
    let old = try recall.recall(version, to: scratch.file("old.sqlite"))
    let tables = try SeedComparison(old: head.connection, new: old.connection).run { _ in }
      .filter { !$0.isSame }
    let changes: ChangeReport = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.changes) })
    let next = tables.isEmpty ? nil : published.state.head.next
    let title =
      next.map { "would publish version \($0) with the content of version \(version), and hold the series" }
      ?? "the newest version already has the content of version \(version); would publish nothing, and hold the series"
    try console.report(
      [
        "series": .string("\(series)"), "dryRun": true, "to": JSONValue(version.number),
        "version": JSONValue(next?.number), "tables": changes.json,
      ],
      (["\(series): \(title)"] + tables.map { "  \($0.name): \($0.changes.words)" }).joined(separator: "\n"))
  }
}
