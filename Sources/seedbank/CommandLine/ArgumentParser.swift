import SeedFormat

/// Turns the words after a command's name into values, as swift-argument-parser would.
struct ArgumentParser {
  private let definition: CommandDefinition
  private var pending: ArraySlice<String>
  private var values: [String: [String]] = [:]
  private var positionals: [String] = []

  private init(_ arguments: [String], _ definition: CommandDefinition) {
    self.definition = definition
    pending = arguments[...]
  }

  /// The values of `arguments`, or the first thing that is wrong with them.
  static func parse(
    _ arguments: [String], for definition: CommandDefinition
  ) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(arguments, definition)
    try parser.readWords()
    try parser.assignPositionals()
    try parser.requireOptions()
    return ParsedArguments(definition, parser.values)
  }

  /// Whether `-h` or `--help` stands among the options: it wins over every error.
  static func asksForHelp(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == OptionDefinition.help.long }
  }

  private mutating func readWords() throws(UsageError) {
    while let word = pending.popFirst() {
      if word == "--" {
        positionals.append(contentsOf: pending)
        pending = []
      } else if word.hasPrefix("--") {
        try readLong(word)
      } else if word.hasPrefix("-"), word != "-" {
        try readShorts(word)
      } else {
        positionals.append(word)
      }
    }
  }

  private mutating func readLong(_ word: String) throws(UsageError) {
    let (name, value) = Self.split(word.dropFirst(2))
    guard let option = definition.allOptions.first(where: { $0.name == name }) else {
      throw unknownOption("--\(name)")
    }
    try read(option, value)
  }

  /// `-v`, `-o value`, `-o=value`, or flags in one group: `-qv`.
  private mutating func readShorts(_ word: String) throws(UsageError) {
    let (letters, value) = Self.split(word.dropFirst())
    let options = letters.map { letter in definition.allOptions.first { $0.short == letter } }
    guard let last = options.last ?? nil, options.dropLast().allSatisfy({ $0?.isFlag == true }) else {
      throw unknownOption("-\(letters)")
    }
    for case .some(let flag) in options.dropLast() { try read(flag, nil) }
    try read(last, value)
  }

  private static func split(_ word: Substring) -> (name: String, value: String?) {
    guard let sign = word.firstIndex(of: "=") else { return (String(word), nil) }
    return (String(word[..<sign]), String(word[word.index(after: sign)...]))
  }

  private mutating func read(_ option: OptionDefinition, _ attached: String?) throws(UsageError) {
    guard !option.isFlag else {
      guard attached == nil else {
        throw error(.unexpectedValue(option: option.long, found: attached ?? ""))
      }
      values[option.name] = []
      return
    }
    guard let value = attached ?? nextValue() else { throw error(.missingValue(option.placeholder)) }
    values[option.name] = option.isRepeatable ? (values[option.name] ?? []) + [value] : [value]
  }

  /// A word that looks like an option is none: a forgotten value must not swallow the next option.
  private mutating func nextValue() -> String? {
    guard let word = pending.first, word == "-" || !word.hasPrefix("-") else { return nil }
    return pending.popFirst()
  }

  private mutating func assignPositionals() throws(UsageError) {
    for (argument, value) in zip(definition.arguments, positionals) {
      guard argument.choices.isEmpty || argument.choices.contains(value) else {
        throw error(
          .unsuitable(
            name: argument.placeholder, found: value, expected: alternatives(argument.choices)))
      }
      values[argument.name] = [value]
    }
    let more = positionals.dropFirst(definition.arguments.count)
    if let last = definition.arguments.last, last.isRepeatable {
      values[last.name]?.append(contentsOf: more)
    } else if let surplus = more.first {
      throw error(.surplusArgument(surplus))
    }
    let missing = definition.arguments.dropFirst(positionals.count).first(where: \.isRequired)
    if let missing { throw error(.missingArgument(missing.placeholder)) }
  }

  private func requireOptions() throws(UsageError) {
    let missing = definition.options.first { $0.isRequired && values[$0.name] == nil }
    if let missing { throw error(.missingOption(missing.placeholder)) }
  }

  private func unknownOption(_ word: String) -> UsageError {
    let name = String(word.drop { $0 == "-" })
    // One letter is near to everything short: guessing would mislead.
    let nearest = name.count < 2 ? nil : nearestName(to: name, in: definition.allOptions.map(\.name))
    return error(.unknownOption(word, nearest: nearest.map { "--\($0)" }))
  }

  private func error(_ problem: UsageError.Problem) -> UsageError {
    UsageError(command: definition.name, problem: problem)
  }
}

/// `"a", "b" or "c"`.
func alternatives(_ names: [String]) -> String {
  let quoted = names.map { "\"\($0)\"" }
  guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
  return "\(quoted.dropLast().joined(separator: ", ")) or \(last)"
}
