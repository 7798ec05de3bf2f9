enum HelpText {
  static func page(for command: Command) -> String {
    joined([
      TextLayout.wrap("OVERVIEW: \(command.abstract)"), TextLayout.paragraphs(command.discussion),
      usage(of: command), section("ARGUMENTS", command.arguments.map(entry)),
      section("OPTIONS", command.allOptions.map(entry)), examples(of: command),
    ])
  }

  static func overview(of commands: [Command]) -> String {
    joined([
      TextLayout.wrap("OVERVIEW: Keep an app's reference data fresh without making the device import it."),
      ["USAGE: seedbank <command> [<options>]"], section("COMMANDS", commands.map { ($0.name, $0.abstract) }),
      section("OPTIONS", [("--version", "Show the version."), entry(.help)]),
      ["See 'seedbank help <command>' for more about a command."],
    ])
  }

  private static func joined(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func usage(of command: Command) -> [String] {
    // A placeholder stays on one line: its spaces are not places to break.
    let words = ["USAGE: seedbank \(command.name)"] + (command.arguments + command.options).map(usage)
    return TextLayout.wrap(words: words, hanging: words[0].count + 1)
  }

  private static func usage(_ parameter: Parameter) -> String {
    (parameter.isRequired ? parameter.placeholder : "[\(parameter.placeholder)]")
      + (parameter.isRepeatable ? " ..." : "")
  }

  private static func section(_ title: String, _ entries: [(String, String)]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.flatMap { TextLayout.entry($0, $1) }
  }

  private static func entry(_ parameter: Parameter) -> (String, String) {
    let remark =
      if parameter.isArgument {
        parameter.choices.isEmpty ? "" : " One of: \(parameter.choices.joined(separator: ", "))."
      } else {
        parameter.isRepeatable ? " May be given more than once." : ""
      }
    let short = parameter.short.map { "-\($0), " } ?? ""
    return (short + parameter.placeholder, parameter.help + remark)
  }

  private static func examples(of command: Command) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["EXAMPLES:"]
      + command.examples.flatMap { ["  \($0.line)"] + TextLayout.wrap($0.explanation, indent: 6) }
  }
}
