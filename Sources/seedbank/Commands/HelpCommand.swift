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
    let command = try Invocation.command(name, among: Command.all)
    try context.console.result(HelpText.page(for: command.definition))
  }
}
