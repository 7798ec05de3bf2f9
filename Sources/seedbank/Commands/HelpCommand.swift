import SeedFormat

extension Command {
  static let help = Command(
    name: "help", abstract: "Show a command's help.",
    arguments: [.argument("command", isRequired: false, help: "The command (default: a list of all).")],
    examples: [("seedbank help version", "The same as 'seedbank version --help'.")]
  ) { arguments, context in
    guard let name = arguments.string("command") else {
      return try context.console.result(HelpText.overview(of: CommandGroup.all))
    }
    try context.console.result(HelpText.page(for: Command.named(name, among: Command.all)))
  }

  static let version = Command(
    name: "version", abstract: "Print the version.", options: [.json],
    examples: [("seedbank version --json", "The version for a script to read.")]
  ) { arguments, context in
    try context.console.result(["version": .string(Release.version)], "seedbank \(Release.version)")
  }
}
