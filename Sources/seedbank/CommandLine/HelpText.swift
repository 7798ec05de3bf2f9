enum HelpText {
  static func page(for command: Command) -> String {
    joined([
      TextLayout.wrap("OVERVIEW: \(command.abstract)"), TextLayout.paragraphs(command.discussion),
      usage(of: command), section("ARGUMENTS", command.arguments.map(entry)),
      section("OPTIONS", command.allOptions.map(entry)), examples(of: command),
    ])
  }

  static let purpose = "Keep an app's reference data fresh without making the device import it."

  static func overview(of groups: [CommandGroup]) -> String {
    let sections = groups.map { group in
      section(group.title.uppercased(), group.commands.map { ($0.name, $0.abstract) })
    }
    return joined(
      [TextLayout.wrap("OVERVIEW: \(purpose)"), ["USAGE: seedbank <command> [<options>]"]] + sections + [
        section("OPTIONS", [("--version", "Show the version."), entry(.help)]),
        ["See 'seedbank help <command>' for more about a command."],
      ])
  }

  private static func joined(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func usage(of command: Command) -> [String] {
    // A placeholder stays on one line: its spaces are not places to break.
    let unbroken = (command.arguments + command.options).map { usage($0).replacing(" ", with: "\u{A0}") }
    let text = (["USAGE: seedbank", command.name] + unbroken).joined(separator: " ")
    let hanging = "USAGE: seedbank \(command.name) ".count
    return TextLayout.wrap(text, hanging: hanging).map { $0.replacing("\u{A0}", with: " ") }
  }

  private static func usage(_ parameter: Parameter) -> String {
    (parameter.isRequired ? parameter.placeholder : "[\(parameter.placeholder)]")
      + (parameter.isRepeatable ? " ..." : "")
  }

  private static func section(_ title: String, _ entries: [(String, String)]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.flatMap { TextLayout.entry($0, $1) }
  }

  private static func entry(_ parameter: Parameter) -> (String, String) {
    let short = parameter.short.map { "-\($0), " } ?? ""
    return (short + parameter.placeholder, explanation(of: parameter))
  }

  static func explanation(of parameter: Parameter) -> String {
    let remark =
      if parameter.isArgument {
        parameter.choices.isEmpty ? "" : " One of: \(parameter.choices.joined(separator: ", "))."
      } else {
        parameter.isRepeatable ? " May be given more than once." : ""
      }
    return parameter.help + remark
  }

  private static func examples(of command: Command) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["EXAMPLES:"]
      + command.examples.flatMap { ["  \($0.line)"] + TextLayout.wrap($0.explanation, indent: 6) }
  }
}

enum TextLayout {
  static let width = 80
  static let explanationColumn = 26

  /// Lines of at most `width` columns; a longer word has a line for itself.
  static func wrap(_ text: String, indent: Int = 0, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = blank(indent)
    var isEmpty = true
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
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

  static func paragraphs(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map { wrap(String($0)) }
    return Array(paragraphs.joined(separator: [""]))
  }

  static func entry(_ name: String, _ explanation: String) -> [String] {
    let head = "  \(name)"
    let lines = wrap(explanation, indent: explanationColumn)
    guard head.count < explanationColumn, let first = lines.first else { return [head] + lines }
    return [head + first.dropFirst(head.count)] + lines.dropFirst()
  }

  private static func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
}
