import class Foundation.FileManager
import class Foundation.ProcessInfo

struct Command: Sendable {
  let name: String
  let abstract: String
  var discussion = ""
  /// In the order on the command line, required ones first; only the last may be repeatable.
  var arguments: [Parameter] = []
  var options: [Parameter] = []
  var examples: [(line: String, explanation: String)] = []
  let run: @Sendable (ParsedArguments, Context) async throws -> Void

  var allOptions: [Parameter] { options + [.help] }
}

struct CommandGroup: Sendable {
  let title: String
  let commands: [Command]
}

/// An argument, identified by its position, or an option or flag, identified by its name.
struct Parameter: Sendable {
  let name: String
  var isArgument = false
  var short: Character?
  /// The name of the value in help; nil for a flag or an argument.
  var valueName: String?
  var isRequired = false
  var isRepeatable = false
  /// The allowed values; empty if any value is allowed.
  var choices: [String] = []
  /// The dotted path of the overridden configuration key.
  var setting: String?
  /// The command's actions that accept it; empty for all.
  var actions: [String] = []
  let help: String

  static func argument(
    _ name: String, isRequired: Bool = true, isRepeatable: Bool = false, choices: [String] = [], help: String
  ) -> Self {
    Self(
      name: name, isArgument: true, isRequired: isRequired, isRepeatable: isRepeatable, choices: choices,
      help: help)
  }

  static func flag(_ name: String, actions: [String] = [], help: String) -> Self {
    Self(name: name, actions: actions, help: help)
  }

  /// If the option is given more than once, the last value is used, or all values if it is repeatable.
  static func value(
    _ name: String, _ valueName: String, short: Character? = nil, isRequired: Bool = false,
    isRepeatable: Bool = false, choices: [String] = [], setting: String? = nil,
    actions: [String] = [], help: String
  ) -> Self {
    Self(
      name: name, short: short, valueName: valueName, isRequired: isRequired, isRepeatable: isRepeatable,
      choices: choices, setting: setting, actions: actions, help: help)
  }

  var isFlag: Bool { valueName == nil }

  var names: [String] { (short.map { ["-\($0)"] } ?? []) + [word] }

  var word: String { isArgument ? "<\(name)>" : "--\(name)" }

  var placeholder: String { valueName.map { "\(word) <\($0)>" } ?? word }

  static let help = Self(name: "help", short: "h", help: "Show help information.")
  static let json = flag("json", help: "Print the result as JSON.")
  static let dryRun = flag("dry-run", help: "Show the changes, without making them.")
  static let config = value(
    "config", "path", short: "c",
    help: "The deployment's seedbank.json (default: SEEDBANK_CONFIG, seedbank.json, seedbank/seedbank.json).")
  static let onlyDataset = value("dataset", "name", help: "Only this dataset (default: all).")
  static let dataset = value("dataset", "name", help: "The dataset (default: the only one).")
  static let series = value("series", "major", help: "The series (default: the only one).")
}

struct Context: Sendable {
  let environment: [String: String]
  let currentDirectory: String
  let console: Console

  static func process() -> Context {
    let environment = ProcessInfo.processInfo.environment
    return Context(
      environment: environment, currentDirectory: FileManager.default.currentDirectoryPath,
      console: Console(environment: environment))
  }
}
