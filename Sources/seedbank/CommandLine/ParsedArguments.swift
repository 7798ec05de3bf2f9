private import SeedFormat

/// A call's values, by the names in the command's definition.
///
/// To ask for a name that the definition lacks is a programmer's error and traps.
struct ParsedArguments: Sendable {
  private let definition: CommandDefinition
  private let values: [String: [String]]

  init(_ definition: CommandDefinition, _ values: [String: [String]]) {
    self.definition = definition
    self.values = values
  }

  func flag(_ name: String) -> Bool { given(name) != nil }

  func isGiven(_ name: String) -> Bool { given(name) != nil }

  func string(_ name: String) -> String? { given(name)?.last }

  /// The text of a required argument or option: parsing has checked that it is there.
  func required(_ name: String) -> String {
    guard let text = string(name) else { preconditionFailure("\(definition.name): \(name) is not required") }
    return text
  }

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
    try paths(name, from: directory).last
  }

  /// The absolute path of a required argument or option.
  func requiredPath(_ name: String, from directory: String) throws(UsageError) -> String {
    guard let path = try path(name, from: directory) else { throw unsuitable(name, "nothing", "a path") }
    return path
  }

  /// Absolute paths of a repeatable option.
  func paths(_ name: String, from directory: String) throws(UsageError) -> [String] {
    var paths: [String] = []
    for text in strings(name) {
      guard Paths.isUsable(text) else { throw unsuitable(name, text, "a path") }
      paths.append(Paths.absolute(text, from: directory))
    }
    return paths
  }

  /// What the options say about the configuration.
  var overrides: [SettingOverride] {
    definition.options.compactMap { option in
      guard let path = option.setting, let value = string(option.name) else { return nil }
      return SettingOverride(path: path, source: option.long, text: value)
    }
  }

  /// An error about a value that the command itself rejects.
  func unsuitable(_ name: String, _ found: String, _ expected: String) -> UsageError {
    UsageError(definition.name, expected: expected, for: display(name), found: found)
  }

  /// An error about an option that is needed because there are several to choose from.
  func undecided(_ name: String, _ choices: String) -> UsageError {
    UsageError(definition.name, "There are several: choose one with '\(display(name))', \(choices).")
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

/// An option's or a variable's value, which stands above the file's.
struct SettingOverride: Hashable, Sendable {
  /// The setting's dotted path.
  let path: String
  /// How messages call it: `--port`.
  let source: String
  let text: String
}
