import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let initialize = Command(
    name: "init", abstract: "Create a deployment for a database or a feed, or extend an existing one.",
    discussion: """
      Reads a SQLite file or a PostgreSQL database, and never writes to it. Makes a configuration, a model with its tables, \
      signing keys and an empty publication. If a table of a SQLite file has no key, its rows are numbered. Anything that \
      cannot be published is skipped and listed, with the reason and a remedy. In an existing deployment, the database becomes another dataset. \
      Never write a password into a URL. Use PGPASSWORD or a password file.

      A feed is a folder of CSV, NDJSON and JSON files, one such file, or a .zip of them. Each file becomes a table. The \
      columns' types and keys are derived from all current values; review them before the first run. Unusual separators, and \
      rows that are nested in a document, are detected and written to the configuration. Files must be in UTF-8.

      No existing file is overwritten, and a failure leaves no files.
      """,
    arguments: [
      .argument(
        "origin",
        help:
          "The SQLite file, folder, file or .zip that holds the data, or a PostgreSQL database: postgres://user@host/database."
      )
    ],
    options: [
      .directory, .value("schema", "name", help: "The schema of the tables in PostgreSQL (default: public)."),
      .value("tables", "names", help: "Only these tables of a PostgreSQL database, separated by commas."),
      .value(
        "dataset", "name", help: "The dataset's name (default: made from the file's or the database's name)."),
    ] + Parameter.keyPlan + [.json, .dryRun],
    examples: [
      ("seedbank init my.sqlite", "Make the folder 'seedbank'. Continue with 'seedbank run'."),
      ("seedbank init parks.sqlite", "In the same folder: add a second dataset."),
      ("seedbank init gtfs.zip", "Publish a feed: a folder, a file or an archive of CSV and JSON."),
      ("seedbank init my.sqlite --dry-run", "Show what would and would not be published."),
      (
        "seedbank init postgres://seedbank@db.example/shop --tables shop,product",
        "Publish two tables of a PostgreSQL database."
      ),
      ("seedbank init my.sqlite --root-keys 3 --root-threshold 2", "Two of three keys must sign a new root."),
    ]
  ) { arguments, context in try await SignalCleanup.staging { try initialize(arguments, context) } }

  private static func initialize(_ arguments: ParsedArguments, _ context: Context) throws {
    let origin = try origin(arguments)
    let surveyed = try origin.surveyed(from: nil)
    let tables = arguments.string("tables").map { $0.split(separator: ",").map(String.init) }
    let survey = try surveyed.survey(tables: tables)
    let schema = try SchemaDraft(survey)
    let notes = schema.notes + surveyed.skipped
    guard !schema.contents.isEmpty else { throw nothingToPublish(origin.originText, notes) }
    let made = surveyed.feed != nil ? "the feed's values" : "the origin's tables"
    let header = "Model 1.0 of \(origin.name): the clients' schema. Made from \(made)."
    let model = ModelDefinition(
      version: "1.0", schemaSQL: schema.text(header: header), projections: schema.projections, path: "")
    let directory = try context.setupDirectory(arguments)
    var dataset = DatasetConfiguration(drafting: origin.name, of: origin.originPath, in: directory, [model])
    (dataset.knownOrigin, dataset.postgres) = (survey.outline, origin.postgres)
    if let feed = surveyed.feed { dataset.becomeFeed(feed.guesses) }
    dataset.suit(originOf: surveyed.feed?.bytes ?? survey.bytes)
    let draft = DeploymentDraft(dataset, in: directory, notes: notes)
    let installer = try installer(draft, dataset.name, arguments, context)
    try installer.checkRoom()
    let plans = try dataset.plans()
    for plan in plans { try plan.prove(against: surveyed.open()) }
    let isDryRun = arguments.flag("dry-run")
    if !isDryRun { try installer.install(delegating: plans.map(\.series)) }
    let feedRemarks = surveyed.feed.map { $0.notes + [feedRemark(dataset.models[0])] } ?? []
    let report = SetupReport(
      draft, origin: origin.originText, keyCount: installer.keyCount, contents: schema.contents,
      schemaRemarks: plans.flatMap(\.remarks) + feedRemarks + [dataset.sizeRemark].compactMap(\.self),
      isDryRun: isDryRun, isFoundByItself: context.finds(draft.file))
    try context.console.report(report.json, report.text)
  }

  /// A dataset without models whose origin is a SQLite file, a feed, or a schema of a PostgreSQL database.
  private static func origin(_ arguments: ParsedArguments) throws -> DatasetConfiguration {
    let text = arguments.required("origin")
    guard PostgresURL.begins(text), let url = try arguments.postgresURL("origin") else {
      if text.contains("://") {
        throw arguments.unsuitable(
          "origin", "a URL of another kind", "a file, a folder, or a URL that begins with postgres://")
      }
      let path = try arguments.requiredPath("origin")
      for option in ["schema", "tables"] where arguments.string(option) != nil {
        throw arguments.unsuitable(option, path, "a PostgreSQL database as the origin")
      }
      return DatasetConfiguration(name: try datasetName(arguments, path), folder: "/", originPath: path)
    }
    let name = try datasetName(arguments, url.database ?? "data")
    var dataset = DatasetConfiguration(name: name, folder: "/", originPath: "")
    (dataset.postgres.url, dataset.postgres.isArgument) = (url, true)
    dataset.postgres.schema = arguments.string("schema") ?? dataset.postgres.schema
    return dataset
  }

  private static func feedRemark(_ model: ModelDefinition) -> String {
    "The tables' types and keys are derived from the feed's current values. Review \(model.schemaFile) before the first run: a"
      + " value that does not fit its column, or a duplicate key, stops the feed from being published."
  }

  private static func installer(
    _ draft: DeploymentDraft, _ name: DatasetName, _ arguments: ParsedArguments, _ context: Context
  ) throws -> any Installer {
    let keys = try KeyPlan(arguments)
    guard Folder.exists(draft.file) else { return DeploymentInstaller(draft, keys) }
    for option in Parameter.keyPlan.map(\.name) where arguments.flag(option) {
      throw arguments.error("Omit '--\(option)': the deployment of \(draft.file) has its keys.")
    }
    let configuration = try DeploymentConfiguration(
      readingFile: draft.file, overrides: context.overrides(arguments))
    return DatasetInstaller(draft, besides: configuration.datasets.map(\.name)) {
      try ConfigurationEdit.make(in: draft.file) { edit in
        let listed = edit["datasets"]?.elements ?? []
        // Another process may have listed it meanwhile.
        if !listed.contains(.string(name.text)) { edit["datasets"] = .array(listed + [.string(name.text)]) }
      }
    }
  }

  private static func datasetName(_ arguments: ParsedArguments, _ origin: String) throws -> DatasetName {
    guard let given = arguments.string("dataset") else { return try DatasetName(forFile: origin) }
    guard !DeploymentNames.taken.contains(given) else {
      throw arguments.unsuitable("dataset", given, "a name other than \(alternatives(DeploymentNames.taken))")
    }
    return try arguments.name("dataset", DatasetName.init(_:))
  }

  private static func nothingToPublish(_ origin: String, _ notes: [SetupNote]) -> Refusal {
    let why = notes.isEmpty ? "It has no tables." : SetupNote.lines(notes).joined(separator: "\n")
    return Refusal(
      .badData,
      "\(origin): expected at least one table that can be published, found none. Nothing was written.\n\(why)"
    )
  }
}

extension Parameter {
  static let directory = value(
    "directory", "dir", short: "d",
    help:
      "The deployment's folder (default: the current directory if it has a seedbank.json, else its subfolder seedbank)."
  )

  fileprivate static let keyPlan = KeyPlan.roles.flatMap { role in
    [
      value("\(role.rawValue)-keys", "count", help: "How many \(role.rawValue) keys to make (default: 1)."),
      value(
        "\(role.rawValue)-threshold", "count",
        help: "How many \(role.rawValue) keys must sign new \(role.rawValue) metadata (default: 1)."),
    ]
  }
}

extension KeyPlan {
  fileprivate init(_ arguments: ParsedArguments) throws(Refusal) {
    var (counts, thresholds) = ([KeyRole: Int](), [KeyRole: Int]())
    for role in Self.roles {
      let keys = try arguments.integer("\(role.rawValue)-keys", in: Self.keyCounts) ?? 1
      counts[role] = keys
      thresholds[role] = try arguments.integer("\(role.rawValue)-threshold", in: 1...keys)
    }
    self.init(counts: counts, thresholds: thresholds)
  }
}

extension Context {
  func setupDirectory(_ arguments: ParsedArguments) throws(Refusal) -> String {
    if let named = try arguments.path("directory") { return named }
    let isHere = Folder.exists(Paths.absolute(DeploymentNames.file, from: currentDirectory))
    return isHere ? currentDirectory : Paths.absolute("seedbank", from: currentDirectory)
  }

  /// Whether commands find the deployment without `--config`.
  func finds(_ file: String) -> Bool {
    let named = environment[Self.configurationVariable] ?? ""
    return named.isEmpty && usualConfigurationFiles.first { $0 == file || Folder.exists($0) } == file
  }
}

extension DatasetConfiguration {
  private static let comment =
    "\"checkSeconds\" and \"pollSeconds\" are short so that a change shows at once while you try things out;"
    + " raise \"pollSeconds\" before many devices poll."

  /// Derives the models' paths from the directory. `origin` is empty if the origin is not a file.
  init(drafting name: DatasetName, of origin: String, in directory: String, _ models: [ModelDefinition]) {
    let folder = "\(PhysicalPath.folder(directory))/\(name)"
    let path = origin.isEmpty ? "" : PhysicalPath.joining(PhysicalPath.file(origin), through: folder)
    self.init(name: name, folder: folder, originPath: path)
    policy.pollSeconds = 2
    self.models = models.map { model in
      ModelDefinition(
        version: model.version, schemaSQL: model.schemaSQL, projections: model.projections,
        path: "\(ModelFolder.parent(inDataset: "\(directory)/\(name)"))/\(model.version)")
    }
  }

  /// Above this size of the origin, smaller downloads are worth more time on the publisher and on devices.
  private static let largeBytes = 20_000_000

  fileprivate mutating func suit(originOf bytes: Int) {
    guard bytes > Self.largeBytes else { return }
    policy.encodings = [.gzip, .xz]
    let count = models.last.flatMap { try? OmittedIndexes.rehearse($0.schemaSQL) }
    if let count, count > 0 { policy.indexes = .client }
  }

  /// The reason for the settings of a large origin.
  fileprivate var sizeRemark: String? {
    guard policy.encodings.contains(.xz) else { return nil }
    let remark =
      "The origin has more than 20 MB, so \"encodings\" includes \"xz\": snapshots are about half as large and take "
      + "longer to make. After the first publish step, 'seedbank config check --sizes' prints the sizes with other settings"
    guard policy.indexes == .client else { return "\(remark)." }
    return
      "\(remark). \"indexes\" is \"client\": snapshots omit the indexes that are not unique, and devices build these "
      + "indexes. To include the indexes in snapshots, set \"indexes\" to \"snapshot\"."
  }

  fileprivate var draftedText: String {
    let text = [Self.comment, sizeRemark].compactMap(\.self).joined(separator: " ")
    return JSONValue.object([JSONMember("$comment", .string(text))] + (json.members ?? [])).prettyText
  }
}

extension DeploymentDraft {
  init(_ dataset: DatasetConfiguration, in directory: String, notes: [SetupNote] = []) {
    let file = Paths.absolute(DeploymentNames.file, from: directory)
    self.init(
      dataset.name, in: directory, dataset.models, knownOrigin: dataset.knownOrigin, notes: notes,
      lifetimeSeconds: dataset.policy.lifetimeSeconds,
      settings: (
        DeploymentConfiguration(file: file, datasets: [dataset]).json.prettyText, dataset.draftedText
      ))
  }
}
