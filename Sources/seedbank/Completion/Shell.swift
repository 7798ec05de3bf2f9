/// The shells for which there is a completion script. Each script is static, and leaves files to its shell.
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
  /// Words that are offered behind one of others: actions behind the command, roles behind an action.
  func offers(among commands: [Command]) -> [(words: [String], after: [String])] {
    var offers: [(words: [String], after: [String])] = []
    var before = [name]
    for argument in arguments {
      // The one argument that takes the commands' names, and is itself in their table.
      let words = argument.name == "command" ? commands.map(\.name) : argument.offered
      offers.append((words, argument.isRepeatable ? before + words : before))
      before = words
    }
    return offers.filter { !$0.words.isEmpty }
  }
}

extension Parameter {
  var offered: [String] { choices + suggestions }

  /// `-n` and `--name`.
  var names: [String] { (short.map { ["-\($0)"] } ?? []) + [word] }
}
