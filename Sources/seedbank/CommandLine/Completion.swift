/// The shells that have a completion script. Each script is static and leaves file names to the shell.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  func script(for commands: [Command]) -> String {
    let head = "Completion of seedbank for \(self), made by 'seedbank completion \(self)'."
    return switch self {
    case .bash: "# \(head)\n\(Self.words(for: commands))\ncomplete -o default -F _seedbank_words seedbank"
    case .zsh:
      """
      #compdef seedbank
      # \(head)
      autoload -Uz bashcompinit && bashcompinit
      \(Self.words(for: commands))
      _bash_complete -o default -F _seedbank_words
      """
    case .fish: "# \(head)\n\(Self.fish(for: commands))"
    }
  }
}

extension Command {
  /// The words that may follow one of other words, such as roles behind an action.
  func offers(among commands: [Command]) -> [(words: [String], after: [String])] {
    var offers: [(words: [String], after: [String])] = []
    var before = [name]
    for argument in arguments {
      // This argument's values are the names of the commands, whose table contains it.
      let words = argument.name == "command" ? commands.map(\.name) : argument.offered
      offers.append((words, argument.isRepeatable ? before + words : before))
      before = words
    }
    return offers.filter { !$0.words.isEmpty }
  }
}

extension Parameter {
  var offered: [String] { choices + suggestions }
}

extension Shell {
  /// A function for bash, and for zsh through bashcompinit.
  static func words(for commands: [Command]) -> String {
    #"""
    _seedbank_words() {
      local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]} words=
      # bash makes three words of '--name=value'.
      if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
      if ((COMP_CWORD == 1)); then
        words='\#((commands.map(\.name) + ["--help", "--version"]).joined(separator: " "))'
      elif [[ $word == -* ]]; then
        case $command in
    \#(commands.map { line([$0.name], $0.allOptions.flatMap(\.names)) }.joined(separator: "\n"))
        esac
      else
        case "$command $before" in
    \#(commands.flatMap { values(of: $0, among: commands) }.joined(separator: "\n"))
        esac
      fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    """#
  }

  private static func values(of command: Command, among commands: [Command]) -> [String] {
    let options = command.options.filter { !$0.offered.isEmpty }.map { (words: $0.offered, after: $0.names) }
    return (options + command.offers(among: commands)).map { offer in
      line(offer.after.map { "\(command.name) \($0)" }, offer.words)
    }
  }

  private static func line(_ patterns: [String], _ words: [String]) -> String {
    "      \(patterns.map { "'\($0)'" }.joined(separator: "|"))) words='\(words.joined(separator: " "))' ;;"
  }

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
