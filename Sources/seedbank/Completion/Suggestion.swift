/// What a shell offers in place of a value that is half typed.
enum Suggestion: Hashable {
  case words([String])
  case files
  case folders
  /// The names in the deployment's configuration, for which the shell asks `seedbank completions datasets`.
  case datasets
  case commands
  case nothing
}

extension Suggestion {
  /// By what help calls the value.
  private static let places: [String: Suggestion] = [
    "path": .files, "file": .files, "origin": .files, "old": .files, "new": .files, "dir": .folders,
    "folder": .folders, "store": .folders, "command": .commands,
  ]

  init(_ parameter: Parameter, of command: Command) {
    let words = parameter.choices + parameter.suggestions
    let isOfDeployment = command.options.contains { $0.name == Parameter.config.name }
    if !words.isEmpty {
      self = .words(words)
    } else if parameter.name == Parameter.onlyDataset.name {
      self = isOfDeployment ? .datasets : .nothing
    } else {
      self = Self.places[parameter.valueName ?? parameter.name] ?? .nothing
    }
  }
}

/// The shells for which there is a completion script.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  func script(for commands: [Command]) -> String {
    switch self {
    case .bash: Self.bashScript(for: commands)
    case .zsh: Self.zshScript(for: commands)
    case .fish: Self.fishScript(for: commands)
    }
  }
}

extension Command {
  /// Words that stand in place of a command.
  static let overviewOptions = ["--help", "--version"]
}
