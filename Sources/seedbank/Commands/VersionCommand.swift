import SeedFormat

extension Command {
  static let version = Command(
    definition: CommandDefinition(
      name: "version",
      abstract: "Print the version.",
      options: [.json],
      examples: [CommandExample("seedbank version --json", "The version for a script to read.")])
  ) { arguments, context in
    if arguments.flag("json") {
      try context.console.result(["version": .string(Release.version)] as JSONValue)
    } else {
      try context.console.result("seedbank \(Release.version)")
    }
  }
}
