/// What a subcommand is called and takes: the one table behind parsing and help.
struct CommandDefinition: Sendable {
  let name: String
  /// One line, for the list of commands and the page's head.
  let abstract: String
  /// Paragraphs parted by empty lines.
  var discussion = ""
  /// In the order in which they are typed; the required ones first.
  var arguments: [ArgumentDefinition] = []
  /// Without `--help`, which every command has.
  var options: [OptionDefinition] = []
  var examples: [CommandExample] = []

  var allOptions: [OptionDefinition] { options + [.help] }
}

/// A value that is known by its place.
struct ArgumentDefinition: Sendable {
  let name: String
  var isRequired = true
  /// Whether it takes all further words; only the last one may.
  var isRepeatable = false
  /// The only values allowed; empty when any is.
  var choices: [String] = []
  let help: String

  var placeholder: String { "<\(name)>" }
}

/// A line to copy, and what it does.
struct CommandExample: Sendable {
  let line: String
  let explanation: String

  init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}

/// A subcommand: its table and what it does.
struct Command: Sendable {
  let definition: CommandDefinition
  /// Throws what ErrorMapping.swift turns into an exit code.
  let run: @Sendable (ParsedArguments, Context) async throws -> Void
}
