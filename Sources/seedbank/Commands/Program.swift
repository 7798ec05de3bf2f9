import SeedFormat

extension CommandGroup {
  static let all: [CommandGroup] = [
    CommandGroup(
      title: "Deployments",
      commands: [
        .initialize, .demo, .model, .origin, .config, .run, .regenerate, .serve, .ready, .status, .verify,
        .diff, .export, .rollback, .prune, .mirror, .newEpoch, .recover,
      ]),
    CommandGroup(title: "Keys", commands: [.keys]),
    CommandGroup(title: "Clients", commands: [.pull, .follow, .doctor]),
    CommandGroup(title: "Data files", commands: [.importing, .inspect]),
    CommandGroup(title: "This program", commands: [.help, .version, .completion]),
  ]
}

extension Command {
  static let all: [Command] = CommandGroup.all.flatMap(\.commands)

  static func named(_ name: String, among commands: [Command]) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let nearest = nearestName(to: name, in: commands.map(\.name))
    throw UsageError(nil, unknown: "command", name, nearest: nearest.map { "'\($0)'" })
  }
}

enum Invocation {
  case overview
  case help(Command)
  case run(Command, ParsedArguments)

  init(_ arguments: [String], among commands: [Command]) throws(UsageError) {
    guard let first = arguments.first, first != "-h", first != Parameter.help.word else {
      self = .overview
      return
    }
    let name = first == "--version" ? "version" : first
    guard !name.hasPrefix("-") else {
      let nearest = nearestName(to: name, in: ["--help", "--version"])
      throw UsageError(nil, unknown: "option", name, nearest: nearest)
    }
    let command = try Command.named(name, among: commands)
    let rest = Array(arguments.dropFirst())
    guard !ArgumentParser.asksForHelp(rest) else {
      self = .help(command)
      return
    }
    self = .run(command, try ArgumentParser.parse(rest, for: command))
  }

  /// With `--json`, a failure is printed as JSON too.
  var asksForJSON: Bool {
    guard case .run(let command, let arguments) = self else { return false }
    return command.options.contains { $0.name == Parameter.json.name } && arguments.flag(Parameter.json.name)
  }
}

enum Program {
  /// Concurrent, so that no command inherits the main actor from main.swift.
  @concurrent static func run(_ arguments: [String], in context: Context) async -> ExitCode {
    do {
      let invocation = try Invocation(arguments, among: Command.all)
      if invocation.asksForJSON { context.console.startJSON() }
      switch invocation {
      case .overview: try context.console.result(HelpText.overview(of: CommandGroup.all))
      case .help(let command): try context.console.result(HelpText.page(for: command))
      case .run(let command, let arguments): try await command.run(arguments, context)
      }
      return .success
    } catch {
      // After a signal, missing files are not a failure.
      StopSignals.endProcess()
      let report = FailureReport(error)
      // If stdout fails, the exit code and the message remain.
      if context.console.isJSON, !report.isInResult {
        try? context.console.result(["error": report.json] as JSONValue)
      }
      if !report.message.isEmpty { context.console.error(report.message) }
      return report.exitCode
    }
  }
}

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

  static let completion: Command = Command(
    name: "completion", abstract: "Print a shell's completion script.",
    discussion: """
      The script completes commands, options and their choices, and leaves files to the shell. The Debian package \
      installs all three; without it, save the script in a folder that your shell reads.
      """,
    arguments: [.argument("shell", choices: Shell.allCases.map(\.rawValue), help: "The shell.")],
    examples: [
      ("seedbank completion bash > /etc/bash_completion.d/seedbank", "For bash, as root."),
      ("seedbank completion zsh > ~/.zfunc/_seedbank", "For zsh, with ~/.zfunc in fpath before compinit."),
      ("seedbank completion fish > ~/.config/fish/completions/seedbank.fish", "For fish."),
    ]
  ) { arguments, context in
    guard let shell = Shell(rawValue: arguments.required("shell")) else { return }
    try context.console.result(shell.script(for: Command.all))
  }
}
