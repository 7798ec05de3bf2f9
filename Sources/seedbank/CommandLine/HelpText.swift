/// The help pages, made of the same tables that parsing uses.
enum HelpText {
  /// The page of one command.
  static func page(for definition: CommandDefinition) -> String {
    let sections = [
      TextLayout.wrap("OVERVIEW: \(definition.abstract)"),
      TextLayout.paragraphs(definition.discussion),
      usage(of: definition),
      section("ARGUMENTS", definition.arguments.map { ($0.placeholder, explanation(of: $0)) }),
      section("OPTIONS", definition.allOptions.map { (names(of: $0), explanation(of: $0)) }),
      examples(of: definition),
    ]
    return joined(sections)
  }

  /// The list of all commands.
  static func overview(of commands: [CommandDefinition]) -> String {
    let names = commands.map { ($0.name, $0.abstract) }
    let options = [("--version", "Show the version."), ("-h, --help", OptionDefinition.help.help)]
    return joined([
      TextLayout.wrap("OVERVIEW: Keep an app's reference data fresh without making the device import it."),
      ["USAGE: seedbank <command> [<options>]"],
      section("COMMANDS", names),
      section("OPTIONS", options),
      ["See 'seedbank help <command>' for more about a command."],
    ])
  }

  private static func joined(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func usage(of definition: CommandDefinition) -> [String] {
    // A placeholder stays on one line: its spaces are not places to break.
    let words =
      definition.arguments.map { usage($0.placeholder, $0.isRequired, $0.isRepeatable) }
      + definition.options.map { usage($0.placeholder, $0.isRequired, $0.isRepeatable) }
    let unbroken = words.map { $0.replacing(" ", with: "\u{A0}") }
    let text = (["USAGE: seedbank", definition.name] + unbroken).joined(separator: " ")
    let hanging = "USAGE: seedbank \(definition.name) ".count
    return TextLayout.wrap(text, hanging: hanging).map { $0.replacing("\u{A0}", with: " ") }
  }

  private static func usage(_ placeholder: String, _ isRequired: Bool, _ isRepeatable: Bool) -> String {
    (isRequired ? placeholder : "[\(placeholder)]") + (isRepeatable ? " ..." : "")
  }

  private static func section(_ title: String, _ entries: [(String, String)]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.flatMap { TextLayout.entry($0, $1) }
  }

  private static func names(of option: OptionDefinition) -> String {
    option.short.map { "-\($0), \(option.placeholder)" } ?? option.placeholder
  }

  private static func explanation(of argument: ArgumentDefinition) -> String {
    guard !argument.choices.isEmpty else { return argument.help }
    return "\(argument.help) One of: \(argument.choices.joined(separator: ", "))."
  }

  private static func explanation(of option: OptionDefinition) -> String {
    option.isRepeatable ? "\(option.help) May be given more than once." : option.help
  }

  private static func examples(of definition: CommandDefinition) -> [String] {
    guard !definition.examples.isEmpty else { return [] }
    return ["EXAMPLES:"]
      + definition.examples.flatMap { ["  \($0.line)"] + TextLayout.wrap($0.explanation, indent: 6) }
  }
}

/// Plain text, wrapped.
enum TextLayout {
  /// Columns of a line of help.
  static let width = 80
  /// Where the explanations begin in a list of names.
  static let explanationColumn = 26

  /// Lines of at most `width` columns; a longer word has a line for itself.
  static func wrap(_ text: String, indent: Int = 0, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = blank(indent)
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = blank(hanging ?? indent)
        isEmpty = true
      }
      line += isEmpty ? String(word) : " \(word)"
      isEmpty = false
    }
    return lines + [line]
  }

  /// Paragraphs separated by an empty line.
  static func paragraphs(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map {
      wrap($0.split(separator: "\n").joined(separator: " "))
    }
    return Array(paragraphs.joined(separator: [""]))
  }

  /// A name and its explanation beside it, or below it where the name is too long.
  static func entry(_ name: String, _ explanation: String) -> [String] {
    let head = "  \(name)"
    let lines = wrap(explanation, indent: explanationColumn)
    guard head.count < explanationColumn, let first = lines.first else { return [head] + lines }
    return [head + first.dropFirst(head.count)] + lines.dropFirst()
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
