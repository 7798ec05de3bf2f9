/// What a shell offers in place of a value that is half typed.
enum Suggestion: Hashable {
  case words([String])
  case files
  case folders
  /// Those of the deployment, for which the shell asks.
  case names(DeploymentNames)
  case commands
  case nothing
}

/// What `seedbank completions` prints of a deployment's configuration.
enum DeploymentNames: String, CaseIterable {
  case datasets
  /// Majors, as `--series` takes them.
  case series
  /// Versions, as `--model` takes them.
  case models
}

extension Suggestion {
  /// By their names, of commands that work on a deployment.
  private static let ofDeployment: [String: DeploymentNames] = [
    Parameter.onlyDataset.name: .datasets, "series": .series, "model": .models,
  ]

  /// By what help calls the value.
  private static let places: [String: Suggestion] = [
    "path": .files, "file": .files, "origin": .files, "old": .files, "new": .files, "dir": .folders,
    "folder": .folders, "store": .folders, "source": .folders, "command": .commands,
  ]

  init(_ parameter: Parameter, of command: Command) {
    let words = parameter.choices + parameter.suggestions
    let isOfDeployment = command.options.contains { $0.name == Parameter.config.name }
    if !words.isEmpty {
      self = .words(words)
    } else if let names = Self.ofDeployment[parameter.name] {
      self = isOfDeployment ? .names(names) : .nothing
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
