import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

#if SEEDBANK_POSTGRES
import SeedPostgres
#endif

extension Command {
  static let origin = Command(
    name: "origin", abstract: "Add a change log to the origin, so that a step reads only written rows.",
    discussion: """
      Without a log, each step reads all rows of the origin. 'setup' adds triggers and tables to the SQLite file, with names \
      that begin with seedbank_, or to the PostgreSQL database, in a schema seedbank. The triggers record the keys of all written rows, \
      whichever program writes them. This slows bulk writers: an UPDATE or DELETE of 100,000 rows takes up to six times as long in SQLite; in \
      PostgreSQL, an UPDATE takes one and a half times as long. Then 'setup' sets origin.changes to "log". To check the log, all rows are compared once a day. If \
      the log missed a row, the row is published, a warning names it, and all rows are compared in each step until 'accept'. 'remove' removes the \
      log. This is the only command that writes to an origin; with --print it only prints the SQL. A PostgreSQL \
      log covers the tables that the models read. The user who makes it must own these tables and be allowed to create a schema.
      """,
    arguments: [
      .argument("part", choices: ["log"], help: "The part of the origin to change."),
      .argument("action", choices: OriginAction.allCases.map(\.rawValue), help: "What to do."),
    ],
    options: [
      .config, .dataset,
      .value(
        "owner", "url",
        actions: ["setup", "remove"], help: "The same database with the user who owns its tables."),
      .flag("print", actions: ["setup", "remove"], help: "Print the SQL, for another user to run."),
      .flag("yes", actions: ["setup", "remove"], help: "Write to the origin."), .json,
    ],
    examples: [
      ("seedbank origin log setup", "Show which tables would get a log."),
      ("seedbank origin log setup --yes", "Make the log."),
      (
        "seedbank origin log setup --print | sqlite3 my.sqlite",
        "Make the log by hand. Then set origin.changes to \"log\" by hand."
      ),
      (
        "seedbank origin log setup --yes --owner postgres://shop@db.example/shop",
        "Make the log as the owner of the tables."
      ),
      ("seedbank origin log accept", "Trust the log again, after the cause of its gaps is fixed."),
    ]
  ) { arguments, context in
    try arguments.refuse("print", beside: "json")
    let action = OriginAction(rawValue: arguments.required("action")) ?? .setup
    let configuration = try context.configuration(arguments)
    let dataset = try arguments.onlyDataset(of: configuration)
    guard dataset.feed.source == nil else {
      throw Refusal(
        .usage,
        "\(dataset.name): the origin is a feed, which needs no log: only changed files are read, and their rows are compared."
      )
    }
    if action == .accept { return try accept(dataset, configuration, arguments, context) }
    let change = try OriginLogChange(action, dataset, try logMaker(dataset, arguments))
    guard !arguments.flag("print") else { return try context.console.result(change.script()) }
    if arguments.flag("yes") { try change.make() }
    try context.console.report(
      change.json(isDone: arguments.flag("yes")), change.text(isDone: arguments.flag("yes")))
  }

  private static func logMaker(
    _ dataset: DatasetConfiguration, _ arguments: ParsedArguments
  ) throws -> any OriginLogMaker {
    guard let url = dataset.postgres.url else {
      if let owner = arguments.string("owner") {
        throw arguments.unsuitable("owner", owner, "a PostgreSQL database as the origin")
      }
      return try SQLiteLogSetup(dataset.originPath)
    }
    #if SEEDBANK_POSTGRES
    let owner = try arguments.postgresURL("owner").map(dataset.postgresPlace)
    return try PostgresLogSetup(dataset.postgresPlace(url), owner: owner)
    #else
    // Throws, because this build does not support PostgreSQL.
    _ = try dataset.databasePlace()
    return try SQLiteLogSetup(url.shown)
    #endif
  }

  private static func accept(
    _ dataset: DatasetConfiguration, _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments,
    _ context: Context
  ) throws {
    try Publisher(configuration, keys: KeySource(KeyRing())).acceptLog(of: try dataset.plans().map(\.series))
    try context.console.report(
      ["dataset": .string(dataset.name.text)],
      "\(dataset.name): the next step compares all rows; from then on, the origin's log is trusted again.")
  }
}

enum OriginAction: String, CaseIterable { case setup, remove, accept }

private struct OriginLogChange {
  let action: OriginAction
  let dataset: DatasetConfiguration
  private let maker: any OriginLogMaker
  private let statements: [String]
  private var draft: OriginLogDraft?
  private var left: [(table: String, reason: String)] = []
  /// Whether the log already exists, so that only the configuration changes.
  private var isThere = false

  init(_ action: OriginAction, _ dataset: DatasetConfiguration, _ maker: any OriginLogMaker) throws {
    (self.action, self.dataset, self.maker) = (action, dataset, maker)
    let removal = try maker.removal()
    guard action == .setup else {
      statements = removal
      return
    }
    guard removal.isEmpty else {
      (statements, isThere) = ([], true)
      if dataset.policy.changes == .log { throw hasLog }
      return
    }
    let draft = try maker.draft(DatasetJob(dataset).activePlans)
    (statements, self.draft, left) = (draft.statements, draft, draft.left + (try Self.volatile(dataset)))
  }

  private static func volatile(_ dataset: DatasetConfiguration) throws -> [(table: String, reason: String)] {
    let job = try DatasetJob(dataset)
    let origin = try job.readyOrigin()
    return try job.activePlans.flatMap { plan in
      try origin.volatileTables(plan).sorted { $0.key < $1.key }.map { table, reason in
        ("\(plan.series) \(table)", "its rows may change without a write: \(reason)")
      }
    }
  }

  func script() throws -> String {
    if isThere { throw hasLog }
    return maker.script(statements).map { "\($0);" }.joined(separator: "\n")
  }

  private var hasLog: Refusal {
    Refusal(
      .configuration,
      "\(dataset.originText) already has a log: check it with 'seedbank config check'. To set it up again, as you must after adding a table or changing a key, "
        + "first run 'seedbank origin log remove --yes', which removes it for every deployment that uses it.")
  }

  /// Changes the origin first. If that fails, the configuration is unchanged. If the configuration cannot be changed, the
  /// log is unused, but harmless.
  func make() throws {
    if !statements.isEmpty { try maker.run(statements) }
    let way: ChangeFinding = action == .setup ? .log : .comparison
    try ConfigurationEdit.make(in: dataset.file) { $0["origin", "changes"] = .string(way.rawValue) }
  }

  func json(isDone: Bool) -> JSONValue {
    .object(
      .init(
        ("dataset", .string(dataset.name.text)), ("done", .bool(isDone)),
        ("logged", draft.map { draft in JSONValue(strings: draft.logged.map(\.table)) }),
        (
          "compared",
          draft.map { _ in .array(left.map { ["table": .string($0.table), "reason": .string($0.reason)] }) }
        ), ("statements", JSONValue(statements.count))))
  }

  func text(isDone: Bool) -> String {
    let origin = dataset.originText.printable
    if isThere {
      return isDone
        ? "\(origin) already has a log. \(dataset.file.printable): origin.changes is now \"log\".\n\(Self.restart)"
        : "\(origin) already has a log. With --yes, this dataset uses it; nothing else changes."
    }
    guard let draft else {
      guard !statements.isEmpty else { return "\(origin) has no log." }
      return isDone
        ? "\(origin): the log is removed. \(dataset.file.printable): origin.changes is now \"compare\".\n\(Self.restart)"
        : "\(origin): --yes removes the log with its tables and triggers, in \(statements.count) statements."
    }
    let lines =
      ["\(origin): \(isDone ? "these tables have a log now" : "these tables would get a log"):"]
      + draft.logged.map { "  \($0.table.printable)  \($0.by.printable)" }
      + (left.isEmpty ? [] : ["All rows of these tables are compared, as before:"])
      + left.map { "  \($0.table.printable)  \($0.reason.printable)" }
    let end =
      isDone
      ? ["\(dataset.file.printable): origin.changes is now \"log\".", Self.restart]
      : [
        "With --yes, the tables listed first get a log. From then on, each change of a row also writes a small row."
      ]
    return (lines + end).joined(separator: "\n")
  }

  private static let restart =
    "'seedbank run' reads its configuration only when it starts: restart it if it is running."
}
