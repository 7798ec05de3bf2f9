extension Command {
  static let help = Command(
    definition: CommandDefinition(
      name: "help",
      abstract: "Show what a command does and takes.",
      arguments: [
        ArgumentDefinition(
          name: "command", isRequired: false, help: "The command; without it, all are listed.")
      ],
      examples: [CommandExample("seedbank help version", "The same as 'seedbank version --help'.")])
  ) { arguments, context in
    guard let name = arguments.string("command") else {
      return try context.console.result(HelpText.overview(of: Command.all))
    }
    let command = try Invocation.command(name, among: Command.all)
    try context.console.result(HelpText.page(for: command.definition))
  }
}
