import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let rollback = Command(
    definition: CommandDefinition(
      name: "rollback",
      abstract: "Publish the content of an older version again, and hold the series.",
      discussion: """
        The old content becomes the next version, with a delta that leads there and a snapshot: versions never \
        go back, so every client follows. From then on the series takes nothing from its origin, while its \
        signatures are renewed; 'seedbank regenerate --resume' ends that. Doing it again changes nothing.
        """,
      options: [
        .config,
        .value("to", "version", isRequired: true, help: "The version whose content counts again."),
        .value("dataset", "name", help: "The dataset (default: the only one)."),
        .value("series", "major", help: "The series (default: the only one)."),
        .dryRun, .json,
      ],
      examples: [
        CommandExample("seedbank rollback --to 41 --dry-run", "Says what would change."),
        CommandExample("seedbank rollback --to 41 --dataset transit --series 2", "Goes back to version 41."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let choice = try SeriesChoice(arguments, configuration)
    let version = try arguments.integer("to", in: 1...Int(Limits.exactJSONInteger)).map { try Version($0) }
    guard let version else { return }
    if arguments.flag("dry-run") {
      let scratch = try ScratchFolder()
      defer { scratch.remove() }
      let preview = try RollbackPreview(choice, version, scratch)
      return try arguments.flag("json")
        ? context.console.result(preview.json) : context.console.result(preview.text)
    }
    let deployment = try Deployment(configuration, context)
    let report = try deployment.publisher.rollBack(
      choice.series, to: version, try DatasetJob(choice.dataset), now: .now())
    try arguments.flag("json")
      ? context.console.result(report.json(choice.dataset.name, warnings: report.warnings))
      : report.lines.forEach(context.console.result)
    for warning in report.warnings { context.console.warning(warning) }
    context.console.note(
      "\(choice.series) is held at the content of version \(version) until 'seedbank regenerate --resume'.")
  }
}

/// What going back would change.
private struct RollbackPreview {
  private let series: Series
  private let version: Version
  private let next: Version
  private let changes: ChangeReport

  init(_ choice: SeriesChoice, _ version: Version, _ scratch: ScratchFolder) throws {
    let published = try choice.published()
    let recall = SeriesRecall(choice.publication, published)
    let head = try recall.recall(published.state.head, to: scratch.file("head.sqlite"))
    let old = try recall.recall(version, to: scratch.file("old.sqlite"))
    let tables = try SeedComparison(old: head.connection, new: old.connection).run { _ in }
    changes = Dictionary(uniqueKeysWithValues: tables.filter { !$0.isSame }.map { ($0.name, $0.changes) })
    (series, self.version, next) = (choice.series, version, published.state.head.next)
  }

  private var isSame: Bool { changes.isEmpty }

  var text: String {
    let counts = changes.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value.words)" }
    let title =
      isSame
      ? "\(series): the head holds the content of version \(version) already; it would be held there"
      : "\(series): would publish version \(next) with the content of version \(version), and hold it"
    return ([title] + counts).joined(separator: "\n")
  }

  var json: JSONValue {
    [
      "series": .string("\(series)"), "dryRun": true, "to": .integer(Int64(version.number)),
      "version": isSame ? .null : .integer(Int64(next.number)),
      "tables": changes.json,
    ]
  }
}
