import SeedPublication

/// Help pages in the format of help2man, with which `Scripts/manual` makes the manual pages.
enum HelpText {
  static func page(for command: Command) -> String {
    joined([
      TextLayout.wrap(command.abstract), TextLayout.paragraphs(command.discussion),
      usage(of: command), section("Arguments", command.arguments.map(entry)),
      section("Options", command.allOptions.map(entry)), examples(of: command),
    ])
  }

  static func overview(of groups: [CommandGroup]) -> String {
    let sections = groups.map { group in section(group.title, group.commands.map { ($0.name, $0.abstract) }) }
    return joined(
      [TextLayout.paragraphs(introduction), ["Usage: seedbank <command> [<options>]"]] + sections + [
        section("Options", [("--version", "Show the version."), entry(.help)]),
        section("Environment", environment),
        section("Exit status", ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }),
      ])
  }

  private static let introduction = """
    Keep an app's reference data fresh without making the device import it.

    Results go to standard output, messages to standard error. See 'seedbank help <command>' for details.
    """

  private static let environment = [
    (Context.configurationVariable, "The configuration file, if --config is not given."),
    ("SEEDBANK_*", "Settings of the configuration, such as SEEDBANK_HTTP_PORT for http.port."),
    (
      "TMPDIR",
      "The folder for scratch files, which may become as large as a dataset (default: /tmp, and /var/tmp for SQLite's files)."
    ),
  ]

  private static func joined(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func usage(of command: Command) -> [String] {
    // Keeps a placeholder on one line although it contains spaces.
    let words = ["Usage: seedbank \(command.name)"] + (command.arguments + command.options).map(usage)
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
    let short = parameter.short.map { "-\($0), " } ?? ""
    return (short + parameter.placeholder, parameter.help + remark(on: parameter))
  }

  private static func remark(on parameter: Parameter) -> String {
    if parameter.isArgument {
      parameter.choices.isEmpty ? "" : " One of: \(parameter.choices.joined(separator: ", "))."
    } else {
      (parameter.isRepeatable ? " May be given more than once." : "")
        + (parameter.actions.isEmpty ? "" : " Only for: \(parameter.actions.joined(separator: ", ")).")
    }
  }

  private static func examples(of command: Command) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["Examples:"]
      + command.examples.flatMap { ["  \($0.line)"] + TextLayout.wrap($0.explanation, indent: 6) }
  }
}
