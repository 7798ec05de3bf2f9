import SeedFormat

/// A subcommand: its definition, and its work.
struct Command: Sendable {
  let definition: CommandDefinition
  /// Throws errors that ``FailureReport`` turns into exit codes.
  let run: @Sendable (ParsedArguments, Context) async throws -> Void

  /// Every subcommand, in the order of the help page.
  static let all: [Command] = [
    .initialize, .demo, .run, .regenerate, .serve, .status, .verify, .diff, .rollback, .newEpoch, .prune,
    .inspect, .importing, .config, .keys, .help, .pull, .doctor, .version,
  ]

  static func named(_ name: String, among commands: [Command]) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.definition.name == name }) { return command }
    let nearest = nearestName(to: name, in: commands.map(\.definition.name))
    throw UsageError(nil, unknown: "command", name, nearest: nearest.map { "'\($0)'" })
  }
}

/// A command line after parsing.
enum Invocation {
  /// The list of commands.
  case overview
  case help(CommandDefinition)
  case run(Command, ParsedArguments)

  init(_ arguments: [String], among commands: [Command]) throws(UsageError) {
    guard let first = arguments.first, first != "-h", first != OptionDefinition.help.long else {
      self = .overview
      return
    }
    let name = first == "--version" ? "version" : first
    // All other options stand after the command.
    guard !name.hasPrefix("-") else {
      let nearest = nearestName(to: name, in: ["--help", "--version"])
      throw UsageError(nil, unknown: "option", name, nearest: nearest)
    }
    let command = try Command.named(name, among: commands)
    let rest = Array(arguments.dropFirst())
    guard !ArgumentParser.asksForHelp(rest) else {
      self = .help(command.definition)
      return
    }
    let parsed = try ArgumentParser.parse(rest, for: command.definition)
    // In a group of short flags, such as `-qh`, only parsing finds it.
    self = parsed.flag(OptionDefinition.help.name) ? .help(command.definition) : .run(command, parsed)
  }

  /// With `--json`, the reason of a failure is printed as JSON as well.
  var asksForJSON: Bool {
    guard case .run(let command, let arguments) = self else { return false }
    let name = OptionDefinition.json.name
    return command.definition.allOptions.contains { $0.name == name } && arguments.flag(name)
  }
}

/// The way from arguments to an exit code.
enum Program {
  /// Parses, runs and reports. Concurrent, so that no command inherits the main actor from main.swift.
  @concurrent static func run(_ arguments: [String], in context: Context) async -> ExitCode {
    var asJSON = false
    do {
      let invocation = try Invocation(arguments, among: Command.all)
      asJSON = invocation.asksForJSON
      switch invocation {
      case .overview: try context.console.result(HelpText.overview(of: Command.all.map(\.definition)))
      case .help(let definition): try context.console.result(HelpText.page(for: definition))
      case .run(let command, let arguments): try await command.run(arguments, context)
      }
      return .success
    } catch {
      // A command that lost its files to a signal must not report that as a failure.
      StopSignals.endProcess()
      let report = FailureReport(error)
      // Where stdout itself fails, the exit code and the message are left.
      if asJSON, !report.isInResult { try? context.console.result(["error": report.json] as JSONValue) }
      context.console.error(report.message)
      return report.exitCode
    }
  }
}
