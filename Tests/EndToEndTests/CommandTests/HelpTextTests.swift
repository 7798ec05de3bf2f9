import Support
import Testing

@testable import seedbank

@Suite(.bounded) struct HelpTextTests {
  @Test(arguments: Command.all.map(\.definition.name))
  func `a page shows everything that its command takes`(name: String) throws {
    let definition = try Command.named(name, among: Command.all).definition
    let page = HelpText.page(for: definition)
    #expect(page.contains(definition.abstract))
    for option in definition.allOptions { #expect(page.contains(option.placeholder)) }
    for argument in definition.arguments { #expect(page.contains(argument.placeholder)) }
    for example in definition.examples { #expect(page.contains(example.line)) }
  }

  @Test(arguments: Command.all.map(\.definition.name))
  func `every command has a sound table`(name: String) throws {
    let definition = try Command.named(name, among: Command.all).definition
    let names = definition.allOptions.map(\.name) + definition.arguments.map(\.name)
    let shorts = definition.allOptions.compactMap(\.short)
    #expect(Set(names).count == names.count)
    #expect(Set(shorts).count == shorts.count)
    #expect(!definition.examples.isEmpty)
    let required = definition.arguments.map(\.isRequired)
    #expect(required.drop { $0 }.allSatisfy { !$0 }, "a required argument after an optional one")
    for example in definition.examples { #expect(example.line.hasPrefix("seedbank \(name)")) }
  }

  @Test func `no line is wider than a terminal`() {
    let pages =
      Command.all.map { HelpText.page(for: $0.definition) } + [
        HelpText.overview(of: Command.all.map(\.definition))
      ]
    for line in pages.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `the overview lists every command`() {
    let overview = HelpText.overview(of: Command.all.map(\.definition))
    for command in Command.all { #expect(overview.contains("  \(command.definition.name) ")) }
    #expect(Set(Command.all.map(\.definition.name)).count == Command.all.count)
  }

  @Test func `a page is laid out like this`() {
    let definition = CommandDefinition(
      name: "pack", abstract: "Pack things.",
      discussion:
        "First paragraph, which is long enough that it has to go on in a second line of text.\n\nSecond.",
      arguments: [
        ArgumentDefinition(name: "source", help: "What to pack."),
        ArgumentDefinition(name: "mode", isRequired: false, choices: ["fast", "small"], help: "How."),
      ],
      options: [
        .value("dataset", "name", short: "d", isRepeatable: true, help: "Which."),
        .value("a-rather-long-option", "value", isRequired: true, help: "It."),
      ],
      examples: [CommandExample("seedbank pack a", "Packs a.")])
    #expect(HelpText.page(for: definition) == Self.page)
  }

  private static let page = """
    OVERVIEW: Pack things.

    First paragraph, which is long enough that it has to go on in a second line of
    text.

    Second.

    USAGE: seedbank pack <source> [<mode>] [--dataset <name>] ...
                         --a-rather-long-option <value>

    ARGUMENTS:
      <source>                What to pack.
      <mode>                  How. One of: fast, small.

    OPTIONS:
      -d, --dataset <name>    Which. May be given more than once.
      --a-rather-long-option <value>
                              It.
      -h, --help              Show help information.

    EXAMPLES:
      seedbank pack a
          Packs a.
    """
}
