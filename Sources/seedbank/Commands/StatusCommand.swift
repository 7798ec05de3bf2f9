import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem

extension Command {
  static let status = Command(
    name: "status", abstract: "Show the state of every series.",
    discussion: """
      Shows versions, ages, rows, sizes, keys and expiry dates of the publication, the last publish step and the \
      next one. Warnings need an operator's attention; they do not change the exit code.

      With --check, it prints one line for a monitor. Exit codes: 0 nothing is wrong, 1 a warning, 2 clients cannot \
      use the publication, or it cannot be read. It warns if the last publish step is too long ago. If that step was made by \
      'seedbank run', the limit is \(TimeSpan(seconds: StepRhythm.patienceSeconds(2))), or longer if schedule.checkSeconds \
      is long or the dataset has an origin.command. If a timer publishes, or if facts are turned off, the limit is \
      \(TimeSpan(seconds: StepRhythm.patienceSeconds(nil))).

      With --history, it shows the last publish steps, newest first. Consecutive steps with the same result are \
      one line.
      """,
    options: [
      .config, .onlyDataset, .flag("check", help: "Print one line and exit with 0, 1 or 2, for a monitor."),
      .value(
        "older-than", "time",
        help: "With --check: warn if the newest version is older than, say, 90s, 26h or 3d (default: "
          + "schedule.changeSeconds)."),
      .value(
        "no-step-for", "time",
        help: "With --check: warn if the last publish step was longer ago than this (default: see above)."),
      .flag("history", help: "Show the last publish steps instead."),
      .value("count", "number", help: "The number of steps to show (default: \(usualSteps))."), .json,
    ],
    examples: [
      ("seedbank status", "Show every series."),
      ("seedbank status --check --older-than 26h", "Check data that changes every day, for a monitor."),
      ("seedbank status --history --count 100", "Show the last hundred steps."),
    ]
  ) { arguments, context in
    let limits = try StatusCheck.Limits(arguments)
    try arguments.refuse("check", beside: "history")
    try arguments.require("history", beside: "count")
    if arguments.flag("check") { return try check(limits, arguments, context) }
    if arguments.flag("history") { return try showHistory(arguments, context) }
    let status = try DeploymentStatus(arguments, context)
    try context.console.report(status.json, status.text)
  }

  private static func check(
    _ limits: StatusCheck.Limits, _ arguments: ParsedArguments, _ context: Context
  ) throws {
    let check: StatusCheck
    do {
      check = try StatusCheck(DeploymentStatus(arguments, context), limits)
    } catch let error as Refusal where error.exitCode == .usage {
      throw error
    } catch {
      check = StatusCheck(Refusal(of: error))
    }
    try context.console.report(check.json, check.line)
    try check.throwIfNotOK()
  }

  private static func showHistory(_ arguments: ParsedArguments, _ context: Context) throws {
    let (console, configuration) = (context.console, try context.configuration(arguments))
    let datasets = try configuration.datasets(chosenBy: arguments)
    let count = try arguments.integer("count", in: 1...StepHistory.mostRecords) ?? usualSteps
    let name = arguments.string("dataset") == nil ? nil : datasets.first?.name
    let builds = try StepHistory(configuration.state).newest(count, of: name)
    if console.isJSON { return try console.result(["builds": .array(builds.map(\.json))] as JSONValue) }
    for build in builds { try console.result(build.line) }
  }

  private static let usualSteps = 20
}

extension DeploymentStatus {
  fileprivate init(_ arguments: ParsedArguments, _ context: Context) throws {
    let configuration = try context.configuration(arguments)
    try self.init(
      configuration, configuration.datasets(chosenBy: arguments), KeySearch(configuration, context),
      now: .now())
  }
}

extension StatusCheck.Limits {
  fileprivate init(_ arguments: ParsedArguments) throws(Refusal) {
    age = try Self.limit("older-than", arguments)
    pause = try Self.limit("no-step-for", arguments)
  }

  private static func limit(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> TimeSpan? {
    guard let text = arguments.string(name) else { return nil }
    try arguments.require("check", beside: name)
    guard let time = TimeSpan(text) else { throw arguments.unsuitable(name, text, TimeSpan.expected) }
    return time
  }
}
