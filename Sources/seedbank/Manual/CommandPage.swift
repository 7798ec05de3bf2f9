extension ManualPage {
  init(_ command: Command) {
    let seeAlso =
      ["seedbank(1)"] + (command.options.contains { $0.name == "config" } ? ["seedbank.json(5)"] : [])
    self.init(
      name: "seedbank-\(command.name)", section: 1, purpose: Self.phrase(command.abstract),
      body: Roff.section("SYNOPSIS", [Self.synopsis(of: command)])
        + Roff.section("DESCRIPTION", Roff.paragraphs("\(command.abstract)\n\n\(command.discussion)"))
        + Roff.section("ARGUMENTS", command.arguments.flatMap(Self.entry))
        + Roff.section("OPTIONS", command.allOptions.flatMap(Self.entry))
        + Roff.section("EXAMPLES", command.examples.flatMap(Self.example))
        + Self.seeAlso(seeAlso))
  }

  static func overview(of groups: [CommandGroup]) -> ManualPage {
    let lists = groups.flatMap { group in
      [".SS \(Roff.text(group.title))"]
        + group.commands.flatMap {
          Roff.entry("\(Roff.bold("seedbank-\($0.name)"))(1)", Roff.text($0.abstract))
        }
    }
    return ManualPage(
      name: "seedbank", section: 1, purpose: phrase(HelpText.purpose),
      body: Roff.section("SYNOPSIS", ["\(Roff.bold("seedbank")) \(Roff.italic("command")) [options]"])
        + Roff.section("DESCRIPTION", Roff.paragraphs(description)) + Roff.section("COMMANDS", lists)
        + Roff.section("OPTIONS", options) + Roff.section("ENVIRONMENT", environment)
        + Roff.section("EXIT STATUS", exitCodes) + seeAlso(["seedbank.json(5)", "seedbank-dataset.json(5)"]))
  }

  private static let description = """
    Seedbank makes compressed, versioned snapshots of a SQLite file, records what changes from one version to the next, \
    signs both and serves them over HTTP. Apps link a library that downloads and verifies the newest snapshot once, and \
    from then on applies small changes.

    Results go to standard output, all else to standard error.
    """

  private static let options =
    Roff.entry(Roff.bold("--version"), "Show the version.") + entry(.help)

  private static let environment =
    Roff.entry(
      Roff.bold(Context.configurationVariable),
      "The configuration file, where no \\fB\\-\\-config\\fR is given.")
    + Roff.entry(
      Roff.bold("SEEDBANK_*"),
      "Every setting has a variable of its name; \(Roff.bold("seedbank.json"))(5) lists them.")
    + HelpText.environment.flatMap { Roff.entry(Roff.bold($0.0), Roff.text($0.1)) }

  private static var exitCodes: [String] {
    ExitCode.allCases.flatMap { Roff.entry(Roff.bold("\($0.rawValue)"), Roff.text($0.meaning)) }
  }

  /// An abstract as a manual page's purpose.
  private static func phrase(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().drop(whileLast: ".")
  }

  private static func synopsis(of command: Command) -> String {
    let words = (command.arguments + command.options).map { parameter in
      let usage = parameter.isRequired ? term(parameter) : "[\(term(parameter))]"
      return parameter.isRepeatable ? "\(usage) ..." : usage
    }
    return ([Roff.bold("seedbank \(command.name)")] + words).joined(separator: " ")
  }

  private static func term(_ parameter: Parameter) -> String {
    if parameter.isArgument { return Roff.italic(parameter.name) }
    return Roff.bold(parameter.word) + (parameter.valueName.map { " \(Roff.italic($0))" } ?? "")
  }

  private static func entry(_ parameter: Parameter) -> [String] {
    let short = parameter.short.map { "\(Roff.bold("-\($0)")), " } ?? ""
    return Roff.entry(short + term(parameter), Roff.text(HelpText.explanation(of: parameter)))
  }

  private static func example(_ example: (line: String, explanation: String)) -> [String] {
    [".PP", Roff.text(example.explanation)] + Roff.example(example.line)
  }
}

extension Substring {
  fileprivate func drop(whileLast character: Character) -> Substring {
    last == character ? dropLast() : self
  }
}
