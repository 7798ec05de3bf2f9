import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension Command {
  static let status = Command(
    definition: CommandDefinition(
      name: "status",
      abstract: "Say where every series stands.",
      discussion: """
        Versions, ages, rows, sizes, keys and expiries of what is published, the last publish step and what is \
        due next. Warnings name what needs an operator; they do not change the exit code.

        With --history, what the last publish steps did, the newest first. Steps that came out the same are \
        one line.
        """,
      options: [
        .config, .value("dataset", "name", help: "Only this dataset (default: all)."),
        .flag("history", help: "Show the last publish steps instead."),
        .value("count", "number", help: "How many steps to show (default: \(StatusDefaults.steps))."), .json,
      ],
      examples: [
        CommandExample("seedbank status", "Every series."),
        CommandExample("seedbank status --history --count 100", "The last hundred steps."),
      ])
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let datasets = try configuration.datasets(chosenBy: arguments)
    let (console, asJSON) = (context.console, arguments.flag("json"))
    guard arguments.flag("history") else {
      let status = try DeploymentStatus(
        try DeploymentView(configuration), datasets, KeySearch(configuration, context), now: .now())
      return try asJSON ? console.result(status.json) : console.result(status.text)
    }
    let count = try arguments.integer("count", in: 1...BuildHistory.maximumBuilds) ?? StatusDefaults.steps
    let name = arguments.string("dataset") == nil ? nil : datasets.first?.name
    let builds = try BuildHistory(configuration.state).newest(count, of: name)
    if asJSON { return try console.result(["builds": .array(builds.map(\.json))] as JSONValue) }
    for build in builds { try console.result(build.line) }
  }
}

private enum StatusDefaults {
  static let steps = 20
}
