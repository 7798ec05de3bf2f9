/// The shells that have a completion script. Each script is static and leaves file names to the shell.
enum Shell: String, CaseIterable {
  case bash, zsh

  func script(for commands: [Command]) -> String {
    let head = "Completion for seedbank in \(self), made by 'seedbank completion \(self)'."
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
    }
  }

  /// A function for bash, and for zsh through bashcompinit.
  static func words(for commands: [Command]) -> String {
    #"""
    _seedbank_words() {
      local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]} words=
      # bash splits '--name=value' into three words.
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

  /// The words that complete each option or argument, by the words that may come before it.
  private static func values(of command: Command, among commands: [Command]) -> [String] {
    var offers = command.options.map { (words: $0.choices, after: $0.names) }
    var before = [command.name]
    for argument in command.arguments {
      // `help` cannot list the commands as its choices, because it is one of them.
      let words = argument.name == "command" ? commands.map(\.name) : argument.choices
      offers.append((words, before))
      before = words
    }
    return offers.filter { !$0.words.isEmpty }.map { offer in
      line(offer.after.map { "\(command.name) \($0)" }, offer.words)
    }
  }

  private static func line(_ patterns: [String], _ words: [String]) -> String {
    "      \(patterns.map { "'\($0)'" }.joined(separator: "|"))) words='\(words.joined(separator: " "))' ;;"
  }
}
