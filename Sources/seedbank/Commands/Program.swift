import SeedFormat
import SeedPublication

extension CommandGroup {
  static let all: [CommandGroup] = [
    CommandGroup(
      title: "Deployments",
      commands: [
        .initialize, .demo, .model, .origin, .config, .run, .regenerate, .serve, .ready, .status, .verify,
        .diff, .export, .rollback, .mirror, .newEpoch, .recover,
      ]),
    CommandGroup(title: "Keys", commands: [.keys]),
    CommandGroup(title: "Clients", commands: [.pull, .follow, .doctor]),
    CommandGroup(title: "Data files", commands: [.importing]),
    CommandGroup(title: "This program", commands: [.help, .version, .completion]),
  ]
}

extension Command {
  static let all: [Command] = CommandGroup.all.flatMap(\.commands)

  static func named(_ name: String) throws(Refusal) -> Command {
    if let command = all.first(where: { $0.name == name }) { return command }
    let nearest = nearestName(to: name, in: all.map(\.name))
    throw Refusal.usage(nil, unknown: "command", name, nearest: nearest.map { "'\($0)'" })
  }
}

extension Context {
  /// Parses a command line into a command and its arguments. A request for help returns the command `help`.
  fileprivate func call(_ arguments: [String]) throws(Refusal) -> (Command, ParsedArguments) {
    let first = arguments.first ?? Parameter.help.word
    if Parameter.help.names.contains(first) { return (.help, ParsedArguments(.help, in: currentDirectory)) }
    let name = first == "--version" ? "version" : first
    guard !name.hasPrefix("-") else {
      let nearest = nearestName(to: name, in: ["--help", "--version"])
      throw Refusal.usage(nil, unknown: "option", name, nearest: nearest)
    }
    var (command, rest) = (try Command.named(name), Array(arguments.dropFirst()))
    if ParsedArguments.asksForHelp(rest) { (command, rest) = (.help, [name]) }
    return (command, try ParsedArguments(parsing: rest, for: command, in: currentDirectory))
  }
}

enum Program {
  /// Concurrent, so that no command inherits the main actor from main.swift.
  @concurrent static func run(_ arguments: [String], in context: Context) async -> ExitCode {
    do {
      let (command, parsed) = try context.call(arguments)
      // From here on, failures are printed as JSON too.
      if command.options.contains(where: { $0.name == Parameter.json.name }), parsed.flag(Parameter.json.name)
      {
        context.console.startJSON()
      }
      try await command.run(parsed, context)
      return .success
    } catch {
      // After a signal, the error only shows that cleanup removed files, so the signal ends the process here.
      StopSignals.endProcess()
      let report = Refusal(of: error)
      // If stdout fails, the exit code and the message on stderr still report the error.
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
    arguments: [.argument("command", isRequired: false, help: "The command (default: list all).")],
    examples: [("seedbank help version", "The same as 'seedbank version --help'.")]
  ) { arguments, context in
    guard let name = arguments.string("command") else {
      return try context.console.result(HelpText.overview(of: CommandGroup.all))
    }
    try context.console.result(HelpText.page(for: Command.named(name)))
  }

  static let version = Command(
    name: "version", abstract: "Print the version.", options: [.json],
    examples: [("seedbank version --json", "The version for a script to read.")]
  ) { arguments, context in
    try context.console.report(["version": .string(Release.version)], "seedbank \(Release.version)")
  }

  static let completion: Command = Command(
    name: "completion", abstract: "Print a shell's completion script.",
    discussion: """
      The script completes commands, options and their choices; the shell completes file names. The Debian package \
      installs the scripts of both shells. Without the package, save the script in a folder that your shell reads.
      """,
    arguments: [.argument("shell", choices: Shell.allCases.map(\.rawValue), help: "The shell.")],
    examples: [
      ("seedbank completion bash > /etc/bash_completion.d/seedbank", "For bash, as root."),
      ("seedbank completion zsh > ~/.zfunc/_seedbank", "For zsh, with ~/.zfunc in fpath before compinit."),
    ]
  ) { arguments, context in
    guard let shell = Shell(rawValue: arguments.required("shell")) else { return }
    try context.console.result(shell.script(for: Command.all))
  }
}
