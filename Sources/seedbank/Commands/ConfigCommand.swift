import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let config = Command(
    name: "config", abstract: "Check or show the configuration, or print the code that apps need.",
    discussion: """
      'check' publishes nothing, and finds the mistakes that would make each publish step fail. It checks models, projections, \
      keys, expiry dates and folders, and finds rows without a key and columns that no longer have the model's types. To find \
      errors in single rows, use 'seedbank regenerate --dry-run'. With --sizes, it also makes each newest snapshot with every setting of \
      'encodings' and 'indexes', and prints the sizes. 'show' prints every effective value and its source. It prints the folder \
      of the signing keys, but no key. 'keys' prints every setting of seedbank.json and dataset.json with its type, default and \
      meaning. 'swift' prints the declaration of a dataset's model for an app that uses SeedClient, and a type for the rows of \
      each table and view, so that the app and the publisher have the same model.

      Exit codes of 'check': 0 no errors, 69 the only problem is an unavailable origin, else 78.
      """,
    arguments: [.argument("action", choices: ["check", "show", "keys", "swift"], help: "What to do.")],
    options: [
      .config, .value("dataset", "name", actions: ["swift"], help: "Only this dataset."),
      .value(
        "model", "version", actions: ["swift"],
        help: "The model that the app was built for (default: the newest)."),
      .flag(
        "sizes", actions: ["check"],
        help: "Also print the sizes of snapshots with other settings; takes longer than making a snapshot."),
      .flag("json", actions: ["check", "show"], help: Parameter.json.help),
    ],
    examples: [
      ("seedbank config check", "Before you deploy, or after you change a model."),
      ("seedbank config check --sizes", "Before you choose 'encodings' and 'indexes'."),
      ("seedbank config show", "Every effective value and its source."),
      ("seedbank config keys", "Every setting of seedbank.json and dataset.json."),
      ("seedbank config swift > SeedModels.swift", "Every dataset with its newest model."),
      ("seedbank config swift --dataset transit --model 2.0", "One model of one dataset."),
    ]
  ) { arguments, context in
    let action = arguments.required("action")
    if action == "keys" { return try printKeys(context.console) }
    let configuration = try context.configuration(arguments)
    switch action {
    case "check": try await check(configuration, arguments, context)
    case "show": try show(configuration, arguments, context)
    default: try printSwift(configuration, arguments, context.console)
    }
  }

  private static func check(
    _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) async throws {
    let search = KeySearch(configuration, context)
    let faults = try DeploymentCheck(configuration, context.environment, search).faults
    let fatal = faults.filter(\.isFatal)
    let isMeasured = arguments.flag("sizes") && fatal.isEmpty
    let sizes = isMeasured ? try await sizes(configuration, context.console) : []
    let lines = faults.isEmpty ? ["nothing is wrong"] : faults.map { "\($0.severity): \($0.text)" }
    try context.console.report(
      .object(
        .init(
          ("fit", .bool(fatal.isEmpty)), ("findings", .array(faults.map(\.json))),
          ("sizes", isMeasured ? .array(sizes.map(\.json)) : nil))),
      (lines + sizes.map(\.line)).joined(separator: "\n"))
    guard !fatal.isEmpty else { return }
    let isUnavailable = fatal.allSatisfy(\.isUnavailable)
    let errors = fatal.count == 1 ? "1 error was" : "\(fatal.count) errors were"
    throw Refusal(
      isUnavailable ? .unavailable : .configuration,
      "A publish step would fail: \(errors) found, see above.", isInResult: true)
  }

  private static func sizes(
    _ configuration: DeploymentConfiguration, _ console: Console
  ) async throws -> [ConfiguredSize] {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let (publication, file) = (PublicationDirectory(configuration.publication), scratch.file("snapshot"))
    let published = try publication.published().series
    return try await blocking {
      try configuration.datasets.flatMap { dataset in
        try dataset.series.sorted().flatMap { series in
          guard let snapshot = published[series]?.metadata.newestSnapshot else { return [ConfiguredSize]() }
          console.progress("Measuring the snapshot of \(series)…")
          return try SnapshotSize.all(of: snapshot, in: publication, by: file)
            .map { ConfiguredSize(size: $0, policy: dataset.policy) }
        }
      }
    }
  }

  private static func show(
    _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let overrides = context.overrides(arguments)
    let entries =
      try configuration.entries(overrides) + configuration.datasets.flatMap { try $0.entries(overrides) }
    let values = entries.map {
      ["path": .string($0.path), "value": $0.value, "source": .string($0.source)] as JSONValue
    }
    let lines = entries.map { "\($0.path) = \($0.value.text)  (\($0.source))" }
    try context.console.report(
      ["values": .array(values)], ([configuration.file] + lines).joined(separator: "\n"))
  }

  private static func printKeys(_ console: Console) throws {
    try console.result(
      """
      # \(DeploymentNames.file)

      \(DeploymentConfiguration.table)

      # \(DeploymentNames.datasetFile)

      \(DatasetConfiguration.table)
      """)
  }

  private static func printSwift(
    _ deployment: DeploymentConfiguration, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    var rows = RowTypes()
    let parts = try deployment.datasets(chosenBy: arguments).flatMap { dataset in
      let (snippet, model) = try snippet(dataset, arguments)
      return try [snippet.declaration] + rows.declarations(ofSchema: model.schemaSQL)
    }
    try console.result(
      """
      // Made by 'seedbank config swift'. Ship \(deployment.rootPath.printable)
      // with the app and give its bytes to SeedStore(_:server:root:). The app trusts the keys in it.
      import SeedClient

      \(parts.joined(separator: "\n\n"))
      """)
  }

  private static func snippet(
    _ dataset: DatasetConfiguration, _ arguments: ParsedArguments
  ) throws -> (SwiftSnippet, ModelDefinition) {
    let hashes = try dataset.plans().reduce(into: [:]) { $0.merge($1.hashes) { first, _ in first } }
    let versions = hashes.keys.sorted()
    let given = arguments.string("model")
    let version = given.map { text in versions.first { $0.description == text } } ?? versions.last
    guard let version, let hash = hashes[version],
      let model = dataset.models.first(where: { $0.version == version })
    else { throw arguments.unsuitable("model", given ?? "", alternatives(versions.map(\.description))) }
    return (SwiftSnippet(dataset: dataset.name, model: version, schema: hash), model)
  }
}

private struct ConfiguredSize: Sendable {
  let size: SnapshotSize
  let policy: PublishingPolicy

  private var isConfigured: Bool {
    size.indexes == policy.indexes && policy.encodings.contains(size.encoding)
  }

  var line: String {
    "\(size.snapshot.series): the snapshot of version \(size.snapshot.version) with \"indexes\": "
      + "\"\(size.indexes.rawValue)\" has \(ByteCount(bytes: size.bytes)) in \(size.encoding.rawValue)"
      + (isConfigured ? " (as configured)" : "")
  }

  var json: JSONValue {
    [
      "series": .string("\(size.snapshot.series)"), "version": JSONValue(size.snapshot.version.number),
      "indexes": .string(size.indexes.rawValue), "encoding": .string(size.encoding.rawValue),
      "bytes": JSONValue(size.bytes), "configured": .bool(isConfigured),
    ]
  }
}

extension Fault {
  fileprivate var severity: String { isFatal ? "error" : "warning" }

  fileprivate var json: JSONValue {
    ["severity": .string(severity), "place": .string(place), "problem": .string(problem)]
  }
}

extension DeploymentCheck {
  init(
    _ configuration: DeploymentConfiguration, _ environment: [String: String], _ search: KeySearch
  ) throws {
    try self.init(
      publication: configuration.publication, root: configuration.rootPath, state: configuration.state,
      configuration.datasets.map { dataset in
        Dataset(
          dataset.name, in: dataset.folder, dataset.policy, fault: dataset.programFault, plans: dataset.plans,
          job: { try DatasetJob(dataset, for: .look) })
      }, series: configuration.series, search, now: .now()
    ) { error in
      let report = Refusal(of: error)
      return (report.message, report.exitCode == .unavailable)
    }
    let folder = Folder.parent(of: configuration.file)
    for problem in Notices(configuration.notices, in: folder, environment).faults {
      add(Fault(isFatal: true, place: configuration.file, problem: problem))
    }
  }
}

extension DatasetConfiguration {
  fileprivate var programFault: Fault? {
    guard case .command(let words)? = feed.source else { return nil }
    let program = ProgramFile(words[0], ProgramFile.environment(forOthers: environment))
    return program.fault.map { Fault(isFatal: true, place: file, problem: "origin.command: \($0)") }
  }
}
