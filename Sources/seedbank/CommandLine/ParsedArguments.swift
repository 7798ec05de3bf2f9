import SeedFormat
import SeedPublication
import SeedSystem

/// The values on a command line by name. Reading a name that the command does not declare is a bug, and traps.
struct ParsedArguments: Sendable {
  private let command: Command
  /// The base of relative paths.
  private let directory: String
  private var values: [String: [String]] = [:]

  init(_ command: Command, in directory: String) { (self.command, self.directory) = (command, directory) }

  func flag(_ name: String) -> Bool { given(name) != nil }

  func string(_ name: String) -> String? { given(name)?.last }

  /// The value of a required argument or option, without which parsing would have failed.
  func required(_ name: String) -> String {
    guard let text = string(name) else { preconditionFailure("\(command.name): \(name) is not required") }
    return text
  }

  func name<Value>(_ name: String, _ read: (String) throws(InvalidName) -> Value) throws(Refusal) -> Value {
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

  /// An absolute path.
  func path(_ name: String) throws(Refusal) -> String? { try paths(name).last }

  /// The path in a required argument or option, without which parsing would have failed.
  func requiredPath(_ name: String) throws(Refusal) -> String { try paths(name)[0] }

  func paths(_ name: String) throws(Refusal) -> [String] {
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
    if flag(name), flag(other) { throw error("'--\(name)' and '--\(other)' cannot be used together.") }
  }

  func require(_ other: String, beside names: String...) throws(Refusal) {
    for name in names where flag(name) && !flag(other) {
      throw error("'--\(name)' needs '--\(other)'.")
    }
  }

  func undecided(_ name: String, _ choices: String) -> Refusal {
    error("There is more than one choice: set '\(word(name))' to one of \(choices).")
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

/// Parses by the rules of swift-argument-parser.
extension ParsedArguments {
  init(parsing arguments: [String], for command: Command, in directory: String) throws(Refusal) {
    self.init(command, in: directory)
    var (pending, positionals) = (arguments[...], [String]())
    while let word = pending.popFirst() {
      if word == "--" {
        positionals.append(contentsOf: pending)
        pending = []
      } else if word.hasPrefix("-"), word != "-" {
        try readOption(word, &pending)
      } else {
        positionals.append(word)
      }
    }
    try assign(positionals)
    let missing = command.options.first { $0.isRequired && values[$0.name] == nil }
    if let missing { throw error("Missing the option '\(missing.placeholder)'.") }
    try checkActions()
  }

  /// Help takes precedence over every error.
  static func asksForHelp(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == Parameter.help.word }
  }

  /// `--port value`, `--port=value`, `-p value` or `-p=value`.
  private mutating func readOption(_ word: String, _ pending: inout ArraySlice<String>) throws(Refusal) {
    let name = word.prefix { $0 != "=" }
    guard let option = command.allOptions.first(where: { $0.names.contains(String(name)) }) else {
      throw unknownOption(String(name))
    }
    let attached = name.count < word.count ? String(word.dropFirst(name.count + 1)) : nil
    guard !option.isFlag else {
      guard attached == nil else {
        throw error("The option '\(option.word)' takes no value, found '\((attached ?? "").clipped)'.")
      }
      values[option.name] = []
      return
    }
    guard let value = attached ?? Self.nextValue(&pending) else {
      throw error("Missing the value of '\(option.placeholder)'.")
    }
    try check(value, of: option)
    values[option.name] = option.isRepeatable ? values[option.name, default: []] + [value] : [value]
  }

  /// Returns nil for a word that looks like an option, so that an option without its value does not swallow the next one.
  private static func nextValue(_ pending: inout ArraySlice<String>) -> String? {
    guard let word = pending.first, word == "-" || !word.hasPrefix("-") else { return nil }
    return pending.popFirst()
  }

  private mutating func assign(_ positionals: [String]) throws(Refusal) {
    for (argument, value) in zip(command.arguments, positionals) {
      try check(value, of: argument)
      values[argument.name] = [value]
    }
    let more = positionals.dropFirst(command.arguments.count)
    if let last = command.arguments.last, last.isRepeatable {
      values[last.name]?.append(contentsOf: more)
    } else if let surplus = more.first {
      throw error("Unexpected argument '\(surplus.clipped)'.")
    }
    let missing = command.arguments.dropFirst(positionals.count).first(where: \.isRequired)
    if let missing { throw error("Missing the argument '\(missing.placeholder)'.") }
  }

  private func check(_ value: String, of parameter: Parameter) throws(Refusal) {
    let choices = parameter.choices
    guard choices.isEmpty || choices.contains(value) else {
      throw Refusal.usage(command.name, expected: alternatives(choices), for: parameter.word, found: value)
    }
  }

  private func checkActions() throws(Refusal) {
    guard let action = values["action"]?.first else { return }
    let given = command.options.filter { values[$0.name] != nil && !$0.actions.isEmpty }
    guard let wrong = given.first(where: { !$0.actions.contains(action) }) else { return }
    let path = command.arguments.prefix { $0.name != "action" }.compactMap { values[$0.name]?.first }
    let calls = wrong.actions.map { ([command.name] + path + [$0]).joined(separator: " ") }
    throw Refusal.usage(command.name, expected: alternatives(calls), for: wrong.word, found: action)
  }

  private func unknownOption(_ word: String) -> Refusal {
    let name = String(word.drop { $0 == "-" })
    // A single letter is close to every short name, so a guess would mislead.
    let nearest = name.count < 2 ? nil : nearestName(to: name, in: command.allOptions.map(\.name))
    return Refusal.usage(command.name, unknown: "option", word, nearest: nearest.map { "--\($0)" })
  }

  func error(_ sentence: String) -> Refusal { Refusal.usage(command.name, sentence) }
}

func alternatives(_ names: [String]) -> String {
  let quoted = names.map { "\"\($0)\"" }
  guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
  return "\(quoted.dropLast().joined(separator: ", ")) or \(last)"
}

extension Refusal {
  static func usage(_ command: String?, _ sentence: String) -> Self {
    Self(.usage, "\(sentence)\nSee 'seedbank \(command.map { "\($0) " } ?? "")--help'.")
  }

  static func usage(_ command: String?, expected: String, for name: String, found: String) -> Self {
    usage(command, "Expected \(expected) for '\(name)', found '\(found.clipped)'.")
  }

  static func usage(_ command: String?, unknown kind: String, _ word: String, nearest: String?) -> Self {
    let question = nearest.map { ": did you mean \($0)?" } ?? "."
    return usage(command, "Unknown \(kind) '\(word.clipped)'\(question)")
  }
}
