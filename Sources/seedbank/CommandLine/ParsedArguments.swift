import SeedFormat
import SeedPublication
import SeedSystem

/// A call's values by name. Access to an undeclared name traps as a bug.
struct ParsedArguments: Sendable {
  let command: Command
  var values: [String: [String]]

  init(_ command: Command, _ values: [String: [String]]) { (self.command, self.values) = (command, values) }

  func flag(_ name: String) -> Bool { given(name) != nil }

  func string(_ name: String) -> String? { given(name)?.last }

  /// Parsing has checked that it is present.
  func required(_ name: String) -> String {
    guard let text = string(name) else { preconditionFailure("\(command.name): \(name) is not required") }
    return text
  }

  func name<Value>(
    _ name: String, _ read: (String) throws(InvalidName) -> Value
  ) throws(Refusal) -> Value {
    do {
      return try read(required(name))
    } catch {
      throw unsuitable(name, error.found, error.expected)
    }
  }

  func strings(_ name: String) -> [String] { given(name) ?? [] }

  /// A whole number without sign or leading zeros.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let text = string(name) else { return nil }
    guard let number = canonicalDecimal(text, in: range) else {
      throw unsuitable(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// An absolute path; a relative one is resolved against `directory`.
  func path(_ name: String, from directory: String) throws(Refusal) -> String? {
    try paths(name, from: directory).last
  }

  /// Parsing has checked that it is present.
  func requiredPath(_ name: String, from directory: String) throws(Refusal) -> String {
    try paths(name, from: directory)[0]
  }

  func paths(_ name: String, from directory: String) throws(Refusal) -> [String] {
    try strings(name).map { text throws(Refusal) in
      guard Paths.isUsable(text) else { throw unsuitable(name, text, "a path") }
      return Paths.absolute(text, from: directory)
    }
  }

  var overrides: [SettingOverride] {
    command.options.compactMap { option in
      guard let path = option.setting, let value = string(option.name) else { return nil }
      return SettingOverride(path: path, source: option.word, text: value)
    }
  }

  func unsuitable(_ name: String, _ found: String, _ expected: String) -> Refusal {
    Refusal.usage(command.name, expected: expected, for: word(name), found: found)
  }

  func refuse(_ name: String, beside other: String) throws(Refusal) {
    if flag(name), flag(other) { throw unsuitable(name, "--\(other)", "one of the two") }
  }

  func require(_ other: String, beside names: String...) throws(Refusal) {
    for name in names where flag(name) && !flag(other) {
      throw unsuitable(name, "no --\(other)", "--\(other) beside it")
    }
  }

  func undecided(_ name: String, _ choices: String) -> Refusal {
    Refusal.usage(command.name, "There are several: choose one with '\(word(name))', \(choices).")
  }

  private func word(_ name: String) -> String { parameter(name)?.word ?? name }

  private func parameter(_ name: String) -> Parameter? {
    (command.allOptions + command.arguments).first { $0.name == name }
  }

  private func given(_ name: String) -> [String]? {
    precondition(parameter(name) != nil, "\(command.name) declares no \(name)")
    return values[name]
  }
}

/// An option's or a variable's value, which takes precedence over the file's.
struct SettingOverride: Hashable, Sendable {
  let path: String
  /// The name in messages: `--port`.
  let source: String
  let text: String
}
