extension Shell {
  static func bashScript(for commands: [Command]) -> String {
    """
    # Completion of seedbank for bash, made by 'seedbank completions bash'.

    # Sets 'kind' and 'words': what may stand for an option, or at a place, of a command.
    _seedbank_value() {
      kind=
      words=
      case "$1 $2" in
    \(commands.flatMap(values).joined(separator: "\n"))
      esac
    }

    _seedbank_options() {
      case "$1" in
    \(commands.map(options).joined(separator: "\n"))
      esac
    }

    \(driver(commands))
    """
  }

  private static func values(of command: Command) -> [String] {
    command.options.filter { !$0.isFlag }.map { option in
      let long = quoted("\(command.name) \(option.word)")
      let short = option.short.map { "|" + quoted("\(command.name) -\($0)") } ?? ""
      return value(long + short, Suggestion(option, of: command))
    }
      + command.arguments.enumerated().map { place, argument in
        let start = quoted("\(command.name) \(argument.isRepeatable ? "" : "\(place + 1)")")
        return value(start + (argument.isRepeatable ? "[0-9]*" : ""), Suggestion(argument, of: command))
      }
  }

  private static func value(_ pattern: String, _ suggestion: Suggestion) -> String {
    "    \(pattern)) " + assignment(suggestion) + " ;;"
  }

  private static func assignment(_ suggestion: Suggestion) -> String {
    switch suggestion {
    case .words(let words): "kind=words words=\(quoted(words.joined(separator: " ")))"
    case .files: "kind=files"
    case .folders: "kind=folders"
    case .names(let names): "kind=names words=\(names.rawValue)"
    case .commands: "kind=commands"
    case .nothing: "kind=nothing"
    }
  }

  private static func options(of command: Command) -> String {
    let words = command.allOptions.flatMap { ($0.short.map { ["-\($0)"] } ?? []) + [$0.word] }
    return "    \(command.name)) words=\(quoted(words.joined(separator: " "))) ;;"
  }

  private static func quoted(_ text: String) -> String { "'\(text)'" }

  private static func driver(_ commands: [Command]) -> String {
    #"""
    _seedbank() {
      local word="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" kind words option= place=0 index config=
      local commands=\#(quoted(commands.map(\.name).joined(separator: " ")))
      COMPREPLY=()
      if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands \#(Command.overviewOptions.joined(separator: " "))" -- "$word")
        return
      fi
      # An option takes the next word; bash makes three words of '--name=value'.
      for ((index = 2; index < COMP_CWORD; index++)); do
        case "${COMP_WORDS[index]}" in
          =) ;;
          -?*)
            option="${COMP_WORDS[index]}"
            _seedbank_value "$command" "$option"
            if [[ -z $kind ]]; then
              option=
              continue
            fi
            if [[ ${COMP_WORDS[index + 1]} == = ]]; then ((index += 1)); fi
            if ((index + 1 < COMP_CWORD)); then
              ((index += 1))
              if [[ $option == --config || $option == -c ]]; then config="${COMP_WORDS[index]}"; fi
              option=
            fi
            ;;
          *) ((place += 1)) ;;
        esac
      done
      if [[ $word == = ]]; then word=; fi
      if [[ -z $option && $word == -* ]]; then
        _seedbank_options "$command"
        kind=words
      else
        _seedbank_value "$command" "${option:-$((place + 1))}"
      fi
      case "$kind" in
        commands) words="$commands" ;;
        names) words="$(seedbank completions "$words" ${config:+--config "$config"} 2>/dev/null)" ;;
        files)
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$word")
          return
          ;;
        folders)
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -d -- "$word")
          return
          ;;
      esac
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    }

    complete -F _seedbank seedbank
    """#
  }
}
