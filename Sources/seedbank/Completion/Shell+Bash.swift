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
}
