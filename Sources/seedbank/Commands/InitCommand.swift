import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem

extension Command {
  static let initialize = Command(
    definition: CommandDefinition(
      name: "init",
      abstract: "Make a deployment from a SQLite file.",
      discussion: """
        Reads the file, which is never written to, and makes a configuration, a model with the file's tables, \
        signing keys and an empty publication. Tables that cannot be published are skipped and listed.

        No existing file is overwritten, and a failure leaves nothing behind.
        """,
      arguments: [ArgumentDefinition(name: "origin", help: "The SQLite file that holds the data.")],
      options: [
        .directory,
        .value("dataset", "name", help: "The dataset's name (default: made from the file's name)."),
      ] + OptionDefinition.keyPlan + [.json, .dryRun],
      examples: [
        CommandExample(
          "seedbank init my.sqlite", "Make the folder 'seedbank'. Continue with 'seedbank run'."),
        CommandExample("seedbank init my.sqlite --dry-run", "Show what would and would not be published."),
        CommandExample(
          "seedbank init my.sqlite --root-keys 3 --root-threshold 2", "Any two of three keys sign a new root."
        ),
      ])
  ) { arguments, context in
    let setup = try InitSetup(arguments, context)
    if !arguments.flag("dry-run") {
      var installer = DeploymentInstaller(draft: setup.draft)
      installer.keys = setup.keys
      try installer.install(delegating: setup.series)
    }
    try context.report(setup.report(arguments, context), asJSON: arguments.flag("json"))
  }
}

/// All decisions of `init`, before anything is written.
private struct InitSetup {
  let origin: String
  let schema: SchemaDraft
  let draft: DeploymentDraft
  let series: [Series]
  let keys: KeyPlan

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    keys = try KeyPlan(arguments)
    origin = try arguments.requiredPath("origin", from: context.currentDirectory)
    let name = try Self.name(arguments, origin)
    schema = try SchemaDraft(OriginSurvey(origin))
    guard schema.counts.tables > 0 else { throw Self.nothingToPublish(origin, schema.notes) }
    let header = "Model 1.0 of \(name): what clients open. Made from the origin's own SQL."
    let model = ModelDraft(
      version: ModelVersion.first, schemaSQL: schema.text(header: header))
    draft = DeploymentDraft(
      name, origin: origin, directory: try context.setupDirectory(arguments), models: [model])
    try DeploymentInstaller(draft: draft).checkRoom()
    let plans = try draft.plans()
    for plan in plans { try plan.prove(against: SQLiteOrigin(origin)) }
    series = plans.map(\.series)
  }

  private static func name(_ arguments: ParsedArguments, _ origin: String) throws -> DatasetName {
    guard let given = arguments.string("dataset") else { return try DatasetNaming.name(forFile: origin) }
    do {
      let name = try DatasetName(given)
      guard !DatasetNaming.taken.contains(name.text) else {
        throw arguments.unsuitable("dataset", given, "a name other than \(alternatives(DatasetNaming.taken))")
      }
      return name
    } catch let error as InvalidName {
      throw arguments.unsuitable("dataset", given, error.expected)
    }
  }

  private static func nothingToPublish(_ origin: String, _ notes: [SetupNote]) -> CommandFailure {
    let why = notes.isEmpty ? ["It has no tables."] : notes.map(\.text)
    return CommandFailure(
      .badData,
      "\(origin): expected at least one table that can be published, found none. Nothing was written.\n"
        + why.joined(separator: "\n"))
  }

  func report(_ arguments: ParsedArguments, _ context: Context) -> SetupReport {
    SetupReport(
      draft: draft, origin: origin, keyCount: keys.count, contents: schema.counts.text, notes: schema.notes,
      isDryRun: arguments.flag("dry-run"), isFoundByItself: context.finds(draft.file))
  }
}

extension OptionDefinition {
  static let directory = value(
    "directory", "dir", short: "d",
    help: "Where the deployment goes (default: seedbank, in the current directory).")
}

extension ModelVersion {
  /// The model of a new deployment.
  static let first: ModelVersion = "1.0"
}

extension Context {
  /// Where a new deployment goes.
  func setupDirectory(_ arguments: ParsedArguments) throws(UsageError) -> String {
    try arguments.path("directory", from: currentDirectory)
      ?? Paths.absolute("seedbank", from: currentDirectory)
  }

  /// Tells if the commands will find the deployment without `--config`.
  func finds(_ file: String) -> Bool {
    let named = environment[Self.configurationVariable] ?? ""
    return named.isEmpty && usualConfigurationFiles.first { $0 == file || Folder.exists($0) } == file
  }

  func report(_ report: SetupReport, asJSON: Bool) throws {
    try console.result(asJSON: asJSON, report.json, report.text)
  }
}
