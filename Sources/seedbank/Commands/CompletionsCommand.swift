import SeedFormat

extension Command {
  static let completions: Command = Command(
    name: "completions", abstract: "Print a shell's completion script.",
    discussion: """
      The script completes commands, options, their choices, files, and the names of datasets. The Debian package \
      installs all three; without it, load the script where your shell looks for such.

      'datasets' prints the names of the deployment's datasets, which the scripts ask for; where there is no \
      deployment, it prints nothing.
      """,
    arguments: [
      .argument(
        "shell", choices: Shell.allCases.map(\.rawValue) + [datasetsWord],
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
    // In the middle of somebody's command line there is no place for a complaint.
    let datasets = (try? context.configuration(arguments))?.datasets ?? []
    for dataset in datasets { try context.console.result(dataset.name.text) }
  }

  private static let datasetsWord = "datasets"
}
