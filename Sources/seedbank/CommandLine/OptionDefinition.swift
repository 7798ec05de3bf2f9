/// A value or a switch that is known by its name.
struct OptionDefinition: Sendable {
  /// The long name, without hyphens.
  let name: String
  let short: Character?
  /// What stands for the value in help; a flag has none.
  let valueName: String?
  let help: String
  let isRequired: Bool
  let isRepeatable: Bool
  /// The dotted path of the configuration key that this option overrides.
  let setting: String?

  /// A switch.
  static func flag(_ name: String, short: Character? = nil, help: String) -> Self {
    Self(
      name: name, short: short, valueName: nil, help: help, isRequired: false, isRepeatable: false,
      setting: nil)
  }

  /// An option with a value. Given more than once, the last one counts unless it is repeatable.
  static func value(
    _ name: String, _ valueName: String, short: Character? = nil, isRequired: Bool = false,
    isRepeatable: Bool = false, setting: String? = nil, help: String
  ) -> Self {
    Self(
      name: name, short: short, valueName: valueName, help: help, isRequired: isRequired,
      isRepeatable: isRepeatable, setting: setting)
  }

  var isFlag: Bool { valueName == nil }

  /// `--name`.
  var long: String { "--\(name)" }

  /// `--name <value>`, or `--name` for a flag.
  var placeholder: String { valueName.map { "\(long) <\($0)>" } ?? long }
}

extension OptionDefinition {
  static let help = flag("help", short: "h", help: "Show help information.")
  static let json = flag("json", help: "Print the result as JSON.")
  static let dryRun = flag("dry-run", help: "Say what would change, and change nothing.")
  static let config = value(
    "config", "path", short: "c",
    help: "The deployment's seedbank.json (default: SEEDBANK_CONFIG, seedbank.json, seedbank/seedbank.json).")
}
