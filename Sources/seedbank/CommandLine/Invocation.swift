import SeedFormat

/// What a command line asks for.
enum Invocation {
  /// The list of commands.
  case overview
  case help(CommandDefinition)
  case run(Command, ParsedArguments)

  /// Decides; runs nothing.
  init(_ arguments: [String], among commands: [Command]) throws(UsageError) {
    guard let first = arguments.first, first != "-h", first != OptionDefinition.help.long else {
      self = .overview
      return
    }
    let name = first == "--version" ? "version" : first
    guard !name.hasPrefix("-") else { throw Self.unknownOption(name) }
    let command = try Self.command(name, among: commands)
    let rest = Array(arguments.dropFirst())
    guard !ArgumentParser.asksForHelp(rest) else {
      self = .help(command.definition)
      return
    }
    let parsed = try ArgumentParser.parse(rest, for: command.definition)
    // Within a group of short flags, such as `-qh`, only parsing finds it.
    self = parsed.flag(OptionDefinition.help.name) ? .help(command.definition) : .run(command, parsed)
  }

  /// Whether the result is to be JSON, and so the reason why there is none.
  var asksForJSON: Bool {
    guard case .run(let command, let arguments) = self else { return false }
    let name = OptionDefinition.json.name
    return command.definition.allOptions.contains { $0.name == name } && arguments.flag(name)
  }

  /// The command of that name.
  static func command(_ name: String, among commands: [Command]) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.definition.name == name }) { return command }
    let nearest = nearestName(to: name, in: commands.map(\.definition.name))
    throw UsageError(command: nil, problem: .unknownCommand(name, nearest: nearest.map { "'\($0)'" }))
  }

  /// Options stand after the command, except these two.
  private static func unknownOption(_ word: String) -> UsageError {
    let nearest = nearestName(to: word, in: ["--help", "--version"])
    return UsageError(command: nil, problem: .unknownOption(word, nearest: nearest))
  }
}
