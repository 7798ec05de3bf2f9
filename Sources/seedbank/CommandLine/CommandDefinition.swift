/// A subcommand's name, arguments and options: the one table behind parsing and help.
struct CommandDefinition: Sendable {
  let name: String
  /// One line, for the list of commands and the page's head.
  let abstract: String
  /// Paragraphs separated by empty lines.
  var discussion = ""
  /// In the order in which they are typed, the required ones first.
  var arguments: [ArgumentDefinition] = []
  /// Without `--help`, which every command has.
  var options: [OptionDefinition] = []
  var examples: [CommandExample] = []

  var allOptions: [OptionDefinition] { options + [.help] }
}

/// A value that is identified by its place.
struct ArgumentDefinition: Sendable {
  let name: String
  var isRequired = true
  /// Takes all further words; only the last argument may.
  var isRepeatable = false
  /// The only values allowed; empty when any is.
  var choices: [String] = []
  let help: String

  var placeholder: String { "<\(name)>" }
}

/// A line to copy, with its explanation.
struct CommandExample: Sendable {
  let line: String
  let explanation: String

  init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}

/// A value or a flag that is identified by its name.
struct OptionDefinition: Sendable {
  /// The long name, without hyphens.
  let name: String
  var short: Character?
  /// The name of the value in help; nil for a flag.
  var valueName: String?
  let help: String
  var isRequired = false
  var isRepeatable = false
  /// The only values allowed; empty when any is.
  var choices: [String] = []
  /// The dotted path of the configuration key that the option overrides.
  var setting: String?

  static func flag(_ name: String, short: Character? = nil, help: String) -> Self {
    Self(name: name, short: short, help: help)
  }

  /// An option with a value. Given more than once, the last one counts unless it is repeatable.
  static func value(
    _ name: String, _ valueName: String, short: Character? = nil, isRequired: Bool = false,
    isRepeatable: Bool = false, choices: [String] = [], setting: String? = nil, help: String
  ) -> Self {
    Self(
      name: name, short: short, valueName: valueName, help: help, isRequired: isRequired,
      isRepeatable: isRepeatable, choices: choices, setting: setting)
  }

  var isFlag: Bool { valueName == nil }

  /// `--name`.
  var long: String { "--\(name)" }

  /// `--name <value>`, or `--name` for a flag.
  var placeholder: String { valueName.map { "\(long) <\($0)>" } ?? long }

  static let help = flag("help", short: "h", help: "Show help information.")
  static let json = flag("json", help: "Print the result as JSON.")
  static let dryRun = flag("dry-run", help: "Show what would change, and change nothing.")
  static let config = value(
    "config", "path", short: "c",
    help: "The deployment's seedbank.json (default: SEEDBANK_CONFIG, seedbank.json, seedbank/seedbank.json).")
}
