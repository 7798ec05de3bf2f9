extension Shell {
  static func zshScript(for commands: [Command]) -> String {
    """
    #compdef seedbank
    # Completion of seedbank for zsh, made by 'seedbank completions zsh'.

    _seedbank_names() {
      local -a names config
      local option=${opt_args[--config]:-${opt_args[-c]}}
      if [[ -n $option ]]; then config=(--config $option); fi
      names=(${(f)"$(seedbank completions $1 $config 2>/dev/null)"})
      compadd -a names
    }

    _seedbank_commands() {
      local -a commands
      commands=(
    \(commands.map { "    \(quoted("\(escaped($0.name)):\($0.abstract)"))" }.joined(separator: "\n"))
      )
      _describe command commands
    }

    _seedbank() {
      local curcontext=$curcontext state line
      typeset -A opt_args
      _arguments -C '(- *)'{-h,--help}'[Show help information.]' '(- *)--version[Show the version.]' \
    '1: :_seedbank_commands' '*:: :->words'
      [[ $state == words ]] || return
      case $words[1] in
    \(commands.map(words).joined(separator: "\n"))
      esac
    }

    if [[ $funcstack[1] == _seedbank ]]; then
      _seedbank "$@"
    else
      compdef _seedbank seedbank
    fi
    """
  }

  private static func words(of command: Command) -> String {
    let specifications =
      command.allOptions.map { option($0, of: command) } + command.arguments.map { argument($0, of: command) }
    let lines = specifications.map { " \\\n        \($0)" }.joined()
    return "    \(command.name))\n      _arguments -s\(lines)\n      ;;"
  }

  private static func option(_ option: Parameter, of command: Command) -> String {
    let value = option.valueName.map { ":\(escaped($0)):\(action(Suggestion(option, of: command)))" } ?? ""
    let names = option.short.map { ["-\($0)", option.word] } ?? [option.word]
    let others = option.isRepeatable ? "*" : names.count > 1 ? "(\(names.joined(separator: " ")))" : ""
    let help = "[\(escaped(option.help))]\(value)"
    // A value follows after a space or, behind a long name, after '='.
    return names.map { name in
      quoted(others + name + (option.isFlag || !name.hasPrefix("--") ? "" : "=") + help)
    }.joined(separator: " ")
  }

  private static func argument(_ argument: Parameter, of command: Command) -> String {
    let separator = argument.isRepeatable ? "*:" : argument.isRequired ? ":" : "::"
    return quoted("\(separator)\(escaped(argument.name)):\(action(Suggestion(argument, of: command)))")
  }

  private static func action(_ suggestion: Suggestion) -> String {
    switch suggestion {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files: "_files"
    case .folders: "_files -/"
    case .names(let names): "{_seedbank_names \(names.rawValue)}"
    case .commands: "_seedbank_commands"
    case .nothing: " "
    }
  }

  /// For the places where a colon or a bracket would end the text.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { $0 += [":", "[", "]", "\\"].contains($1) ? "\\\($1)" : String($1) }
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
