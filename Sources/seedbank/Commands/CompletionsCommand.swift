import SeedFormat
import SeedPublisher

extension Command {
  static let completions: Command = Command(
    name: "completions", abstract: "Print a shell's completion script.",
    discussion: """
      The script completes commands, options, their choices, files, and a deployment's datasets, series and models. The Debian package \
      installs all three; without it, load the script where your shell looks for such.

      'datasets', 'series' and 'models' print what the scripts ask for, from the deployment's configuration; where \
      there is no deployment, they print nothing.
      """,
    arguments: [
      .argument(
        "shell", choices: Shell.allCases.map(\.rawValue) + DeploymentNames.allCases.map(\.rawValue),
        help: "The shell, or what its script asks for.")
    ],
    options: [.config],
    examples: [
      ("seedbank completions bash > /etc/bash_completion.d/seedbank", "For bash, as root."),
      ("seedbank completions zsh > ~/.zfunc/_seedbank", "For zsh, with ~/.zfunc in fpath before compinit."),
      ("seedbank completions fish > ~/.config/fish/completions/seedbank.fish", "For fish."),
    ]
  ) { arguments, context in
    if let shell = Shell(rawValue: arguments.required("shell")) {
      return try context.console.result(shell.script(for: Command.all))
    }
    // A completion must not print an error into the command line.
    let datasets = (try? context.configuration(arguments))?.datasets ?? []
    let names = DeploymentNames(rawValue: arguments.required("shell"))?.all(in: datasets) ?? []
    for name in names { try context.console.result(name) }
  }
}

extension DeploymentNames {
  fileprivate func all(in datasets: [DatasetConfiguration]) -> [String] {
    let versions = Set(datasets.flatMap { $0.models.map(\.version) }).sorted()
    return switch self {
    case .datasets: datasets.map(\.name.text)
    case .series: Set(versions.map(\.major)).sorted().map(String.init)
    case .models: versions.map(\.description)
    }
  }
}
