extension Shell {
  static func fishScript(for commands: [Command]) -> String {
    """
    # Completion of seedbank for fish, made by 'seedbank completions fish'.

    # Whether the command is this one; with a number, whether so many words stand behind it, or with a third word, more.
    function __seedbank_at
      set -l words (commandline -opc)
      test (count $words) -gt 1; and test $words[2] = $argv[1]; or return 1
      test (count $argv) -gt 1; or return 0
      set -l behind (math (count $words) - 2)
      test $behind -eq $argv[2]; or begin; test (count $argv) -gt 2; and test $behind -gt $argv[2]; end
    end

    function __seedbank_names
      set -l words (commandline -opc)
      set -l config
      if set -l place (contains -i -- --config $words; or contains -i -- -c $words)
        set config --config $words[(math $place + 1)]
      end
      seedbank completions $argv[1] $config 2>/dev/null
    end

    complete -c seedbank -f
    complete -c seedbank -n __fish_use_subcommand -l help -s h -d 'Show help information.'
    complete -c seedbank -n __fish_use_subcommand -l version -d 'Show the version.'
    \(commands.flatMap { lines(of: $0, among: commands) }.joined(separator: "\n"))
    """
  }

  private static func lines(of command: Command, among commands: [Command]) -> [String] {
    ["complete -c seedbank -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.abstract))"]
      + command.allOptions.map { option($0, of: command, commands) }
      + command.arguments.enumerated().compactMap { argument($1, at: $0, of: command, commands) }
  }

  private static func option(_ option: Parameter, of command: Command, _ commands: [Command]) -> String {
    let value = option.isFlag ? "" : " -r" + action(Suggestion(option, of: command), commands)
    let short = option.short.map { " -s \($0)" } ?? ""
    return "complete -c seedbank -n '__seedbank_at \(command.name)' -l \(option.name)\(short)\(value)"
      + " -d \(quoted(option.help))"
  }

  /// Nil where nothing can be offered.
  private static func argument(
    _ argument: Parameter, at place: Int, of command: Command, _ commands: [Command]
  ) -> String? {
    let action = action(Suggestion(argument, of: command), commands)
    guard !action.isEmpty else { return nil }
    let more = argument.isRepeatable ? " more" : ""
    return "complete -c seedbank -n '__seedbank_at \(command.name) \(place)\(more)'\(action)"
  }

  private static func action(_ suggestion: Suggestion, _ commands: [Command]) -> String {
    switch suggestion {
    case .words(let words): " -f -a \(quoted(words.joined(separator: " ")))"
    case .files: " -F"
    case .folders: " -f -a '(__fish_complete_directories)'"
    case .names(let names): " -f -a '(__seedbank_names \(names.rawValue))'"
    case .commands: " -f -a \(quoted(commands.map(\.name).joined(separator: " ")))"
    case .nothing: ""
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
