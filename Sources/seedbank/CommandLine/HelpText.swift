/// The help pages, out of the same tables that parsing uses.
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
  static func overview(of commands: [Command]) -> String {
    let names = commands.map { ($0.definition.name, $0.definition.abstract) }
    let options = [("--version", "Show the version."), ("-h, --help", OptionDefinition.help.help)]
    return joined([
      TextLayout.wrap("OVERVIEW: Keep an app's reference data fresh without making the device import it."),
      ["USAGE: seedbank <command> [<options>]"],
      section("COMMANDS", names),
      section("OPTIONS", options),
      ["See 'seedbank help <command>' for more about one of them."],
    ])
  }

  private static func joined(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func usage(of definition: CommandDefinition) -> [String] {
    // A placeholder stays on one line: its spaces are not places to break.
    let words = definition.arguments.map(usage) + definition.options.map(usage)
    let unbroken = words.map { $0.replacing(" ", with: "\u{A0}") }
    let text = (["USAGE: seedbank", definition.name] + unbroken).joined(separator: " ")
    let hanging = "USAGE: seedbank \(definition.name) ".count
    return TextLayout.wrap(text, hanging: hanging).map { $0.replacing("\u{A0}", with: " ") }
  }

  private static func usage(of argument: ArgumentDefinition) -> String {
    let text = argument.isRequired ? argument.placeholder : "[\(argument.placeholder)]"
    return argument.isRepeatable ? "\(text) ..." : text
  }

  private static func usage(of option: OptionDefinition) -> String {
    let text = option.isRequired ? option.placeholder : "[\(option.placeholder)]"
    return option.isRepeatable ? "\(text) ..." : text
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
