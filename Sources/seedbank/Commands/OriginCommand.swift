import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let origin = Command(
    name: "origin", abstract: "Let the origin keep a log, so that a step reads only what was written.",
    discussion: """
      Without a log each step reads all rows of the origin. 'setup' adds triggers and tables named seedbank_… to the \
      SQLite file, which note the keys of the rows that are written, whoever writes them; then it sets \
      origin.changes to "log". Every day all rows are compared as well. Where the log missed one, it is published, a \
      warning names it, and from then on all rows are compared until 'accept'. 'remove' takes the log away. This is \
      the only command that writes to an origin; with --print it prints the SQL and writes nothing.
      """,
    arguments: [
      .argument("part", choices: ["log"], help: "What of the origin."),
      .argument("action", choices: OriginAction.allCases.map(\.rawValue), help: "What to do."),
    ],
    options: [
      .config, .value("dataset", "name", help: "The dataset, where there are several."),
      .flag("print", help: "Print the SQL, for somebody else to run."),
      .flag("yes", help: "Write to the origin ('setup', 'remove')."), .json,
    ],
    examples: [
      ("seedbank origin log setup", "Which tables get a log, and which do not."),
      ("seedbank origin log setup --yes", "Make the log."),
      (
        "seedbank origin log setup --print | sqlite3 my.sqlite",
        "The same by hand; origin.changes is then set by hand, too."
      ),
      ("seedbank origin log accept", "Trust the log again, when what made it miss rows is mended."),
    ]
  ) { arguments, context in
    let action = OriginAction(rawValue: arguments.required("action")) ?? .setup
    let configuration = try context.configuration(arguments)
    let dataset = try arguments.onlyDataset(of: configuration)
    guard dataset.feed.source == nil else {
      throw CommandFailure(
        .usage,
        "\(dataset.name): the origin is a feed, which keeps no log: only files that changed are read, and their rows are compared."
      )
    }
    if action == .accept { return try accept(dataset, configuration, arguments, context) }
    guard dataset.postgres.url == nil else {
      throw CommandFailure(
        .configuration,
        "\(dataset.originText): logs are for SQLite files. Of a PostgreSQL database each step compares all rows, unless no transaction"
          + " ended since the last one.")
    }
    let setup = try SQLiteLogSetup(dataset.originPath)
    let change = try OriginLogChange(action, dataset, setup)
    guard !arguments.flag("print") else { return try context.console.report(change.script) }
    if arguments.flag("yes") { try change.make(with: setup) }
    try context.console.report(
      change.json(isDone: arguments.flag("yes")), change.text(isDone: arguments.flag("yes")))
  }

  private static func accept(
    _ dataset: DatasetConfiguration, _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments,
    _ context: Context
  ) throws {
    for option in ["print", "yes"] where arguments.flag(option) {
      throw arguments.unsuitable(option, "accept", "origin log setup or origin log remove")
    }
    try Publisher(configuration, keys: KeySource(KeyRing())).acceptLog(of: try dataset.plans().map(\.series))
    try context.console.report(
      ["dataset": .string(dataset.name.text)],
      "\(dataset.name): the next step compares all rows; from then on the origin's log counts again.")
  }
}

enum OriginAction: String, CaseIterable {
  case setup, remove, accept
}

/// What `origin log setup` and `origin log remove` do to an origin and to the dataset's configuration.
private struct OriginLogChange {
  let action: OriginAction
  let dataset: DatasetConfiguration
  private let statements: [String]
  private var draft: SQLiteLogDraft?

  init(_ action: OriginAction, _ dataset: DatasetConfiguration, _ setup: SQLiteLogSetup) throws {
    (self.action, self.dataset) = (action, dataset)
    let removal = try setup.removal()
    guard action == .setup else {
      statements = removal
      return
    }
    guard removal.isEmpty else {
      throw CommandFailure(
        .configuration,
        "\(dataset.originPath) has a log already. 'seedbank origin log remove --yes' takes it away; then it can be made anew, which"
          + " a new table or key needs.")
    }
    let draft = try setup.draft()
    (statements, self.draft) = (draft.statements, draft)
  }

  var script: String {
    (["BEGIN IMMEDIATE"] + statements + ["COMMIT"]).map { "\($0);" }.joined(separator: "\n")
  }

  /// The origin first: where the configuration cannot be written, the log does no harm.
  func make(with setup: SQLiteLogSetup) throws {
    if action == .setup { try setup.run(statements) }
    var edit = try ConfigurationEdit(dataset.file)
    let way: ChangeFinding = action == .setup ? .log : .comparison
    edit["origin", "changes"] = .string(way.rawValue)
    try edit.save()
    if action == .remove { try setup.run(statements) }
  }

  func json(isDone: Bool) -> JSONValue {
    .object(
      .init(
        ("dataset", .string(dataset.name.text)), ("done", .bool(isDone)),
        ("logged", draft.map { draft in JSONValue(strings: draft.logged.map(\.table)) }),
        (
          "compared",
          draft.map { draft in
            .array(draft.left.map { ["table": .string($0.table), "reason": .string($0.reason)] })
          }
        ), ("statements", JSONValue(statements.count))))
  }

  func text(isDone: Bool) -> String {
    let path = dataset.originPath.printable
    guard let draft else {
      guard !statements.isEmpty else { return "\(path) has no log." }
      return isDone
        ? "\(path): the log is gone. \(dataset.file.printable): origin.changes is compare.\n\(Self.restart)"
        : "\(path): \(statements.count) tables and triggers named seedbank_… would go. With --yes they do."
    }
    let lines =
      ["\(path): \(isDone ? "these tables have a log now" : "these tables would get a log"):"]
      + draft.logged.map { "  \($0.table.printable)  by \($0.keys.joined(separator: ", ").printable)" }
      + (draft.left.isEmpty ? [] : ["Compared as before:"])
      + draft.left.map { "  \($0.table.printable)  \($0.reason.printable)" }
    let end =
      isDone
      ? ["\(dataset.file.printable): origin.changes is log.", Self.restart]
      : [
        "With --yes they do. Writers of these tables then write one more small row for each that they touch."
      ]
    return (lines + end).joined(separator: "\n")
  }

  private static let restart = "A 'seedbank run' that is running reads its configuration when it starts."
}
