import SeedFormat

extension Command {
  static let help = Command(
    definition: CommandDefinition(
      name: "help",
      abstract: "Show a command's help.",
      arguments: [
        ArgumentDefinition(
          name: "command", isRequired: false, help: "The command (default: a list of all).")
      ],
      examples: [CommandExample("seedbank help version", "The same as 'seedbank version --help'.")])
  ) { arguments, context in
    guard let name = arguments.string("command") else {
      return try context.console.result(HelpText.overview(of: Command.all.map(\.definition)))
    }
    let command = try Command.named(name, among: Command.all)
    try context.console.result(HelpText.page(for: command.definition))
  }

  static let version = Command(
    definition: CommandDefinition(
      name: "version",
      abstract: "Print the version.",
      options: [.json],
      examples: [CommandExample("seedbank version --json", "The version for a script to read.")])
  ) { arguments, context in
    try context.console.result(
      asJSON: arguments.flag("json"), ["version": .string(Release.version)], "seedbank \(Release.version)")
  }
}
