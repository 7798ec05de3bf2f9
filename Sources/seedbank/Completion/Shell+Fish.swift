extension Shell {
  static func fish(for commands: [Command]) -> String {
    let overview =
      commands.map { "-f -a \($0.name) -d \(quoted($0.abstract))" } + [
        "-l help -s h -d 'Show help information.'", "-l version -d 'Show the version.'",
      ]
    let lines =
      overview.map { "-n __fish_use_subcommand \($0)" }
      + commands.flatMap { options(of: $0) + arguments(of: $0, among: commands) }
    return """
      # Whether the command is the first of these, and the word before the cursor one of the others.
      function __seedbank_after
        set -l words (commandline -opc)
        contains -- "$words[2]" $argv[1]; and contains -- $words[-1] $argv[2..]
      end
      \(lines.map { "complete -c seedbank \($0)" }.joined(separator: "\n"))
      """
  }

  private static func options(of command: Command) -> [String] {
    command.allOptions.map { option in
      let words = option.offered.isEmpty ? "" : " -f -a \(quoted(option.offered.joined(separator: " ")))"
      return "-n 'contains -- \(command.name) (commandline -opc)[2]' -l \(option.name)"
        + (option.short.map { " -s \($0)" } ?? "") + (option.isFlag ? "" : " -r\(words)")
        + " -d \(quoted(option.help))"
    }
  }

  private static func arguments(of command: Command, among commands: [Command]) -> [String] {
    command.offers(among: commands).map { words, after in
      "-n '__seedbank_after \(command.name) \(after.joined(separator: " "))' -f -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
