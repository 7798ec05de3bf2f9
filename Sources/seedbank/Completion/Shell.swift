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

  var names: [String] { (short.map { ["-\($0)"] } ?? []) + [word] }
}
