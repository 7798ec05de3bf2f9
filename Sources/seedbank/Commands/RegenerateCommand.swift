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
        publishes nothing. Only one publisher works on a publication at a time; a second one exits with 75. A table \
        that lost more rows than 'shrink' allows holds its dataset back (65) until --accept-shrink.
        """,
      options: [
        .config,
        .value("dataset", "name", help: "Only this dataset (default: all)."),
        .flag("snapshot", help: "Publish a snapshot of the newest version, whatever the schedule says."),
        .flag("accept-shrink", help: "Publish though tables lost more rows than 'shrink' allows."),
        .flag("dry-run", help: "Say what would be published; write nothing."),
        .json,
      ],
      examples: [
        CommandExample("seedbank regenerate", "Publish what changed in every dataset."),
        CommandExample("seedbank regenerate --dry-run", "What would be published, table by table."),
        CommandExample(
          "seedbank regenerate --dataset transit --snapshot --json", "One dataset, for a script."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let deployment = try Deployment(configuration) { context.console.warning($0) }
    let jobs = try configuration.datasets(chosenBy: arguments).map { try DatasetJob($0) }
    for job in jobs {
      let step = arguments.flag("dry-run") ? deployment.publisher.preview : deployment.publisher.step
      let report = try step(job, .now(), arguments.flag("snapshot"), arguments.flag("accept-shrink"))
      for warning in report.warnings { context.console.warning("\(job.name): \(warning)") }
      if arguments.flag("json") {
        try context.console.result(report.json(job.name))
      } else {
        for line in report.lines { try context.console.result(line) }
      }
    }
  }
}
