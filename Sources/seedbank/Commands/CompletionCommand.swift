extension Command {
  static let completion: Command = Command(
    name: "completion", abstract: "Print a shell's completion script.",
    discussion: """
      The script completes commands, options and their choices, and leaves files to the shell. The Debian package \
      installs all three; without it, save the script in a folder that your shell reads.
      """,
    arguments: [.argument("shell", choices: Shell.allCases.map(\.rawValue), help: "The shell.")],
    examples: [
      ("seedbank completion bash > /etc/bash_completion.d/seedbank", "For bash, as root."),
      ("seedbank completion zsh > ~/.zfunc/_seedbank", "For zsh, with ~/.zfunc in fpath before compinit."),
      ("seedbank completion fish > ~/.config/fish/completions/seedbank.fish", "For fish."),
    ]
  ) { arguments, context in
    guard let shell = Shell(rawValue: arguments.required("shell")) else { return }
    try context.console.result(shell.script(for: Command.all))
  }
}
