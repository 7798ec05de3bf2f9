import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let config = Command(
    definition: CommandDefinition(
      name: "config",
      abstract: "Check or show the configuration, or print what apps need of it.",
      discussion: """
        'check' looks for all that a publish step would refuse, and publishes nothing: models, projections against \
        the origin, keys, expiries, folders. 'show' prints every value that counts and where it came from; \
        keys are shown by their folder alone. 'swift' prints the declaration of a dataset's model for an app \
        that uses SeedClient, so that both sides hold the same model.

        Exit codes of 'check': 0 nothing is wrong, 69 only an origin does not answer, else 78.
        """,
      arguments: [
        ArgumentDefinition(name: "action", choices: ["check", "show", "swift"], help: "What to do.")
      ],
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset ('swift')."),
        .value(
          "model", "version", help: "The model that the app was built for ('swift'; default: the newest)."),
        .json,
      ],
      examples: [
        CommandExample("seedbank config check", "Before a deployment, or after a change of a model."),
        CommandExample("seedbank config show", "What counts, and why."),
        CommandExample("seedbank config swift > SeedModels.swift", "Every dataset with its newest model."),
        CommandExample("seedbank config swift --dataset transit --model 2.0", "One model of one dataset."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    try refuseModelOptions(arguments)
    switch arguments.required("action") {
    case "check": try check(configuration, arguments, context)
    case "show": try show(configuration, arguments, context)
    default: try printSwift(configuration, arguments, context.console)
    }
  }

  /// They choose a declaration, and nothing else.
  private static func refuseModelOptions(_ arguments: ParsedArguments) throws(UsageError) {
    let action = arguments.required("action")
    guard action != "swift" else { return }
    for name in ["dataset", "model"] where arguments.string(name) != nil {
      throw arguments.unsuitable(name, "config \(action)", "'config swift'")
    }
  }

  private static func check(
    _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let console = context.console
    let check = try DeploymentCheck(
      configuration, context.overrides(arguments), KeySearch(configuration, context), now: .now())
    let findings = check.findings
    let fatal = findings.filter(\.isFatal)
    if arguments.flag("json") {
      try console.result(
        [
          "fit": .bool(fatal.isEmpty), "findings": .array(findings.map(\.json)),
        ] as JSONValue)
    } else {
      for finding in findings { try console.result(finding.line) }
      if findings.isEmpty { try console.result("nothing is wrong") }
    }
    guard let first = fatal.first else { return }
    let isAway = fatal.allSatisfy { $0.exitCode == .unavailable }
    let more = fatal.count > 1 ? ", and \(fatal.count - 1) more" : ""
    throw CommandFailure(
      isAway ? .unavailable : .configuration,
      "A publish step would refuse this: \(first.place.printable): \(first.problem)\(more).",
      isInResult: true)
  }

  private static func show(
    _ configuration: DeploymentConfiguration, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let shown = try EffectiveConfiguration(configuration, context.overrides(arguments))
    if arguments.flag("json") { return try context.console.result(shown.json) }
    try context.console.result("\(configuration.file)\n\(shown.text)")
  }

  private static func printSwift(
    _ deployment: DeploymentConfiguration, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let snippets = try deployment.datasets(chosenBy: arguments).map {
      try ModelChoice(arguments).snippet($0)
    }
    try console.result(
      """
      // Made by 'seedbank config swift'. Ship \(deployment.rootPath.printable)
      // with the app and give its bytes to SeedStore(_:server:root:): they are what the app trusts.
      import SeedClient

      \(snippets.map(\.declaration).joined(separator: "\n\n"))
      """)
  }
}

extension DeploymentCheck.Finding {
  fileprivate var line: String { "\(isFatal ? "error" : "warning"): \(place): \(problem)" }

  fileprivate var json: JSONValue {
    [
      "severity": .string(isFatal ? "error" : "warning"), "place": .string(place),
      "problem": .string(problem),
    ]
  }
}

/// The model that the options ask for.
private struct ModelChoice {
  let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) { self.arguments = arguments }

  func snippet(_ dataset: DatasetConfiguration) throws -> SwiftSnippet {
    let hashes = try dataset.plans().reduce(into: [:]) { $0.merge($1.hashes) { first, _ in first } }
    let versions = hashes.keys.sorted()
    let given = arguments.string("model")
    let version = given.map { text in versions.first { $0.description == text } } ?? versions.last
    guard let version, let hash = hashes[version] else {
      throw arguments.unsuitable("model", given ?? "", alternatives(versions.map(\.description)))
    }
    return SwiftSnippet(dataset: dataset.name, model: version, schema: hash)
  }
}

extension DatasetConfiguration {
  /// What each of the dataset's majors is published as; throws what is wrong with its models.
  func plans() throws(PlanError) -> [SeriesPlan] {
    let definitions = models.map { model in
      ModelDefinition(
        version: model.version, schemaSQL: model.schemaSQL, projections: model.projections, path: model.path)
    }
    return try SeriesPlan.plans(name, definitions)
  }
}
