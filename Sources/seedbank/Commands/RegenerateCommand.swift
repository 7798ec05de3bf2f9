import SeedFormat
import SeedServer
import SeedTrust

extension Command {
  static let regenerate = Command(
    definition: CommandDefinition(
      name: "regenerate",
      abstract: "Publish what changed in the origins, once.",
      discussion: """
        One publish step for each dataset, for a timer to call. An origin that did not change costs little and \
        publishes nothing. Only one publisher works on a publication at a time; a second one exits with 75.
        """,
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset (default: all)."),
        .flag("snapshot", help: "Publish a snapshot of the newest version, whatever the schedule says."),
        .json,
      ],
      examples: [
        CommandExample("seedbank regenerate", "Publish what changed in every dataset."),
        CommandExample(
          "seedbank regenerate --dataset transit --snapshot --json", "One dataset, for a script."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let deployment = try Deployment(configuration) { context.console.warning($0) }
    let jobs = try configuration.datasets(chosenBy: arguments).map { try DatasetJob($0) }
    for job in jobs {
      let report = try deployment.publisher.step(
        job, now: .now(), forcingSnapshot: arguments.flag("snapshot"))
      for series in report.series {
        if arguments.flag("json") {
          try context.console.result(series.json)
        } else {
          try context.console.result(series.line)
        }
      }
    }
  }
}
