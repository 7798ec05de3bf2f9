import SeedFormat
import SeedServer

extension Command {
  static let config = Command(
    definition: CommandDefinition(
      name: "config",
      abstract: "Print what apps need to know of a dataset.",
      discussion: """
        'swift' prints the declaration of a dataset's model for an app that uses SeedClient, so that both \
        sides hold the same model.
        """,
      arguments: [ArgumentDefinition(name: "action", choices: ["swift"], help: "What to do.")],
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset."),
        .value("model", "version", help: "The model that the app was built for (default: the newest)."),
      ],
      examples: [
        CommandExample("seedbank config swift > SeedModels.swift", "Every dataset with its newest model."),
        CommandExample("seedbank config swift --dataset transit --model 2.0", "One model of one dataset."),
      ])
  ) { arguments, context in
    let deployment = try context.configuration(arguments)
    let snippets = try deployment.datasets(chosenBy: arguments).map {
      try ModelChoice(arguments).snippet($0)
    }
    let root = Paths.absolute(DeploymentDraft.rootName, from: Paths.folder(of: deployment.file))
    try context.console.result(
      """
      // Made by 'seedbank config swift'. Ship \(root.printable)
      // with the app and give its bytes to SeedStore(_:server:root:): they are what the app trusts.
      import SeedClient

      \(snippets.map(\.declaration).joined(separator: "\n\n"))
      """)
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
