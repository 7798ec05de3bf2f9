extension Command {
  /// A static script for bash. It offers commands, options and the actions of commands; bash completes files.
  static func completionScript(for commands: [Command]) -> String {
    #"""
    # Completion of seedbank for bash, made by 'seedbank completion'.
    _seedbank_words() {
      local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=
      if ((COMP_CWORD == 1)); then
        words='\#((commands.map(\.name) + ["--help", "--version"]).joined(separator: " "))'
      elif [[ $word == -* ]]; then
        case $command in
    \#(lines(commands) { $0.allOptions.flatMap(\.names) })
        esac
      else
        case $command in
    \#(lines(commands) { $0.arguments.flatMap(\.choices) })
        esac
      fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    complete -o default -F _seedbank_words seedbank
    """#
  }

  private static func lines(_ commands: [Command], _ words: (Command) -> [String]) -> String {
    commands.map { "      \($0.name)) words='\(words($0).joined(separator: " "))' ;;" }.joined(
      separator: "\n")
  }
}
