import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

extension Command {
  static let model = Command(
    name: "model", abstract: "Make a new model, or end an old one.",
    discussion: """
      'new' copies the files of the newest model, adds the tables, columns, indexes and views that the origin has \
      gained, and reports the new model's cost for clients. A minor (1.1 after 1.0) only adds, and apps of all minors \
      read the same file; a major (2.0) may change anything, and has separate clients. Without a version, it makes the \
      next minor.

      'skip' permanently excludes the origin's additions: all of them, or the named tables, columns (TABLE.COLUMN), \
      indexes and views. If you skip a table, its indexes are skipped too. If you name a table that the model has, all of its new \
      columns are skipped.

      'deprecate' warns the apps of a major that it will end, and 'retire' ends its updates.
      """,
    arguments: [
      .argument("action", choices: ModelAction.allCases.map(\.rawValue), help: "What to do."),
      .argument(
        "name", isRequired: false, isRepeatable: true,
        help:
          "A model, such as 1.1 ('new'); a major, such as 1 ('deprecate', 'retire'); tables and columns, such as park and "
          + "shop.phone ('skip')."),
    ],
    options: [
      .config, .dataset,
      .value(
        "from", "origin", actions: ["new", "skip"],
        help: "Read this SQLite file or feed instead of the origin."),
      .value(
        "sunset", "date", actions: ["deprecate"], help: "The day on which the major ends, as YYYY-MM-DD."),
      .value("message", "text", actions: ["deprecate", "retire"], help: "Text for the app's users."), .json,
      .flag(
        "dry-run", actions: ["new", "skip", "deprecate", "retire"],
        help: "Show the changes, without making them."),
    ],
    examples: [
      ("seedbank model new --dry-run", "Show the origin's additions and the cost of publishing them."),
      ("seedbank model new 2.0", "Copy the newest model as 2.0. Edit it before the next publish step."),
      ("seedbank model skip staff shop.margin", "Never publish these. Others are still reported."),
      ("seedbank model deprecate 1 --sunset 2027-06-30", "Warn the apps of 1.x that it ends on that day."),
      ("seedbank model retire 1", "End the updates of all 1.x models."),
    ]
  ) { arguments, context in
    let action = try ModelAction(checking: arguments)
    let configuration = try context.configuration(arguments)
    let dataset = try arguments.onlyDataset(of: configuration)
    try await SignalCleanup.staging {
      switch action {
      case .new: try make(dataset, configuration, arguments, context)
      case .skip: try skip(dataset, arguments, context)
      default: try end(dataset, action, arguments, context.console)
      }
    }
  }

  private static func make(
    _ dataset: DatasetConfiguration, _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments,
    _ context: Context
  ) throws {
    let given = try arguments.string("name").map { _ in try arguments.name("name", ModelVersion.init(_:)) }
    let choice = try ModelChoice(given, of: dataset.name, in: dataset.folder, dataset.models)
    let surveyed = try dataset.surveyed(from: arguments.path("from"))
    let survey = try surveyed.survey()
    let draft = ModelDraft(
      choice.version, in: choice.path, copying: choice.base,
      adding: try DatasetJob(dataset).gain(in: survey.outline), from: try SchemaDraft(survey))
    let plan = try plan(draft.definition, dataset)
    let published = try PublicationDirectory(configuration.publication).published()
    let keys = try KeySearch(configuration, context).found().ring
    let isDryRun = arguments.flag("dry-run")
    let report = ModelReport(
      draft, after: choice.base.version, plan,
      mending: mending(plan, try surveyed.open()) + surveyed.additions(in: dataset.file),
      isNewSeries: !published.delegatedSeries.contains(plan.series),
      canDelegate: keys.canSign(for: published.keys(of: .targets)), isDryRun: isDryRun)
    if !isDryRun {
      try draft.definition.files.install(asFolder: choice.path)
      let known = dataset.knownOrigin?.merging(survey.outline) ?? survey.outline
      try KnownOrigin.write(known, inDataset: dataset.folder)
    }
    try context.console.report(report.json, report.text)
  }

  /// Proves that clients of older minors can read the model.
  private static func plan(_ model: ModelDefinition, _ dataset: DatasetConfiguration) throws -> SeriesPlan {
    let series = SeedSeries(dataset.name, model: model.version)
    let models = dataset.models.filter { $0.version.major == series.major } + [model]
    return try SeriesPlan(series, models, indexes: dataset.policy.indexes)
  }

  private static func mending(_ plan: SeriesPlan, _ origin: any Origin) -> [String] {
    plan.schema.tables.compactMap { table in
      do {
        try plan.prove(table, against: origin)
        return nil
      } catch { return Refusal(of: error).message }
    }
  }

  private static func skip(
    _ dataset: DatasetConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let surveyed = try dataset.surveyed(from: arguments.path("from"))
    let (job, now) = (try DatasetJob(dataset), try surveyed.open().outline())
    let (gain, names) = (job.gain(in: now), arguments.strings("name"))
    if let unknown = names.first(where: { gain.parts(named: $0).isEmpty }) {
      let choices =
        gain.isEmpty ? "no name, because the origin has no new tables or columns" : alternatives(gain.names)
      throw arguments.unsuitable("name", unknown, choices)
    }
    let isDryRun = arguments.flag("dry-run")
    let skip = ModelSkip(
      names, of: job, in: now, listedIn: KnownOrigin.path(inDataset: dataset.folder), isDryRun: isDryRun)
    if !isDryRun { try KnownOrigin.write(skip.known, inDataset: dataset.folder) }
    try context.console.report(skip.json, skip.text)
  }

  private static func end(
    _ dataset: DatasetConfiguration, _ action: ModelAction, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let text = arguments.string("name") ?? ""
    let majors = Set(dataset.models.map(\.version.major)).sorted()
    guard let major = LifecycleChange.major(text, among: majors) else {
      throw arguments.unsuitable("name", text, "one of the majors \(alternatives(majors.map(String.init)))")
    }
    let before = dataset.policy.lifecycles[major]
    // Without new values, the previous ones are kept.
    let sunset = arguments.string("sunset") ?? before?.sunset
    let message = arguments.string("message") ?? before?.message
    if let sunset, UTCTime(day: sunset) == nil {
      throw arguments.unsuitable("sunset", sunset, "a day as YYYY-MM-DD")
    }
    if message?.isEmpty == true { throw arguments.unsuitable("message", "", "a string that is not empty") }
    let lifecycle: SeedLifecycle =
      action == .retire ? .retired(message: message) : .deprecated(sunset: sunset, message: message)
    let isDryRun = arguments.flag("dry-run")
    let change = LifecycleChange(dataset.name, major, lifecycle, in: dataset.file, isDryRun: isDryRun)
    if !isDryRun {
      try ConfigurationEdit.make(in: dataset.file) { $0["lifecycle", String(major)] = lifecycle.json }
    }
    let warnings = lifecycle.overdue(major, now: .now()).map { ["\(dataset.name): \($0)."] } ?? []
    warnings.forEach(console.warning)
    try console.report(change.json(warnings), change.text)
  }
}

private enum ModelAction: String, CaseIterable {
  case new, skip, deprecate, retire

  init(checking arguments: ParsedArguments) throws(Refusal) {
    self = ModelAction(rawValue: arguments.required("action")) ?? .new
    let names = arguments.strings("name")
    if self != .skip, names.count > 1 { throw arguments.unsuitable("name", names[1], "nothing more") }
  }
}
