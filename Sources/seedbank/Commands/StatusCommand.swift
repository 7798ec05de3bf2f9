import SeedFormat
import SeedServer
import SeedSystem

extension Command {
  static let status = Command(
    name: "status", abstract: "Show the state of every series.",
    discussion: """
      Shows versions, ages, rows, sizes, keys and expiry dates of the publication, the last publish step and what \
      is due next. Warnings show what needs an operator; they do not change the exit code.

      With --history it shows the last publish steps, the newest first. Consecutive steps with the same result are \
      one line.
      """,
    options: [
      .config, .onlyDataset, .flag("history", help: "Show the last publish steps instead."),
      .value("count", "number", help: "How many steps to show (default: \(usualSteps))."), .json,
    ],
    examples: [
      ("seedbank status", "Every series."),
      ("seedbank status --history --count 100", "The last hundred steps."),
    ]
  ) { arguments, context in
    let configuration = try context.configuration(arguments)
    let datasets = try configuration.datasets(chosenBy: arguments)
    let console = context.console
    guard arguments.flag("history") else {
      let status = try DeploymentStatus(
        configuration, datasets, KeySearch(configuration, context), now: .now())
      return try console.result(status.json, status.text)
    }
    let count = try arguments.integer("count", in: 1...StepHistory.mostRecords) ?? usualSteps
    let name = arguments.string("dataset") == nil ? nil : datasets.first?.name
    let builds = try StepHistory(configuration.state).newest(count, of: name)
    if console.isJSON { return try console.result(["builds": .array(builds.map(\.json))] as JSONValue) }
    for build in builds { try console.result(build.line) }
  }

  private static let usualSteps = 20
}
