private import SeedFormat

/// The values of one call, by the names in the command's definition.
///
/// Asking for a name that the definition lacks is a programmer's error and stops.
struct ParsedArguments: Sendable {
  private let definition: CommandDefinition
  private let values: [String: [String]]

  init(_ definition: CommandDefinition, _ values: [String: [String]]) {
    self.definition = definition
    self.values = values
  }

  /// Whether a flag was given.
  func flag(_ name: String) -> Bool { given(name) != nil }

  /// Whether an argument or an option was given.
  func isGiven(_ name: String) -> Bool { given(name) != nil }

  /// The text of an argument or an option.
  func string(_ name: String) -> String? { given(name)?.last }

  /// The text of a required argument or option, which parsing has made sure of.
  func required(_ name: String) -> String {
    guard let text = string(name) else { preconditionFailure("\(definition.name): \(name) is not required") }
    return text
  }

  /// Every text of a repeatable option.
  func strings(_ name: String) -> [String] { given(name) ?? [] }

  /// A whole number without sign or leading zeros.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    guard let number = canonicalDecimal(text, in: range) else {
      throw unsuitable(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// An absolute path; a relative one starts at `directory`.
  func path(_ name: String, from directory: String) throws(UsageError) -> String? {
    guard let text = string(name) else { return nil }
    guard Paths.isUsable(text) else { throw unsuitable(name, text, "a path") }
    return Paths.absolute(text, from: directory)
  }

  /// What the options say about the configuration.
  var overrides: [SettingOverride] {
    definition.options.compactMap { option in
      guard let path = option.setting, let value = string(option.name) else { return nil }
      return SettingOverride(path: path, source: option.long, text: value)
    }
  }

  /// An error about a value that the command itself finds wrong.
  func unsuitable(_ name: String, _ found: String, _ expected: String) -> UsageError {
    UsageError(
      command: definition.name,
      problem: .unsuitable(name: display(name), found: found, expected: expected))
  }

  /// An error about an option that is needed because there are several to choose from.
  func undecided(_ name: String, _ choices: String) -> UsageError {
    UsageError(command: definition.name, problem: .undecided(option: display(name), choices: choices))
  }

  private func display(_ name: String) -> String {
    definition.allOptions.first { $0.name == name }?.long ?? "<\(name)>"
  }

  private func given(_ name: String) -> [String]? {
    let isDeclared =
      definition.allOptions.contains { $0.name == name }
      || definition.arguments.contains { $0.name == name }
    precondition(isDeclared, "\(definition.name) declares no \(name)")
    return values[name]
  }
}

/// What an option, or a variable of the environment, says instead of a configuration file.
struct SettingOverride: Hashable, Sendable {
  /// The setting's dotted path.
  let path: String
  /// How messages call it: `--port`.
  let source: String
  let text: String
}
