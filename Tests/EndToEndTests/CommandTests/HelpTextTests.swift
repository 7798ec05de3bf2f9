import Foundation
import Support
import Testing

@testable import seedbank

@Suite struct HelpTextTests {
  @Test(arguments: Command.all.map(\.name))
  func `a help page shows every option, argument and example of its command`(name: String) throws {
    let command = try Command.named(name, among: Command.all)
    let page = HelpText.page(for: command)
    #expect(page.contains(command.abstract))
    for option in command.allOptions { #expect(page.contains(option.placeholder)) }
    for argument in command.arguments { #expect(page.contains(argument.placeholder)) }
    for example in command.examples { #expect(page.contains(example.line)) }
  }

  @Test(arguments: Command.all.map(\.name))
  func `each command's options have unique names, and its optional arguments come last`(name: String) throws {
    let command = try Command.named(name, among: Command.all)
    let names = command.allOptions.map(\.name) + command.arguments.map(\.name)
    let shorts = command.allOptions.compactMap(\.short)
    #expect(Set(names).count == names.count)
    #expect(Set(shorts).count == shorts.count)
    #expect(!command.examples.isEmpty)
    let required = command.arguments.map(\.isRequired)
    #expect(required.drop { $0 }.allSatisfy { !$0 }, "a required argument after an optional one")
    for example in command.examples { #expect(example.line.hasPrefix("seedbank \(name)")) }
  }

  @Test func `no line of the help is wider than 80 columns`() {
    let pages =
      Command.all.map(HelpText.page) + [HelpText.overview(of: CommandGroup.all)]
    for line in pages.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `the overview lists every command`() {
    let overview = HelpText.overview(of: CommandGroup.all)
    for command in Command.all { #expect(overview.contains("  \(command.name) ")) }
    #expect(Set(Command.all.map(\.name)).count == Command.all.count)
  }

  @Test func `every command belongs to one group of the overview`() {
    let overview = HelpText.overview(of: CommandGroup.all)
    let lists = overview.components(separatedBy: "\n\n")
    for group in CommandGroup.all {
      let list = lists.filter { $0.hasPrefix("\(group.title):\n") }
      #expect(list.count == 1, "\(group.title)")
      for command in group.commands {
        #expect(lists.filter { $0.contains("\n  \(command.name) ") } == list, "\(command.name)")
      }
    }
  }

  @Test func `help and the article explain exit codes alike`() throws {
    let article = try String(
      contentsOfFile: "\(Readme.package)/Sources/seedbank/seedbank.docc/Commands.md", encoding: .utf8)
    for code in ExitCode.allCases { #expect(article.contains("| \(code.rawValue) | \(code.meaning) |")) }
  }

  @Test func `a help page has this layout`() {
    let command = Command(
      name: "pack", abstract: "Pack things.",
      discussion:
        "First paragraph, which is long enough that it has to go on in a second line of text.\n\nSecond.",
      arguments: [
        .argument("source", help: "What to pack."),
        .argument("mode", isRequired: false, choices: ["fast", "small"], help: "How."),
      ],
      options: [
        .value("dataset", "name", short: "d", isRepeatable: true, help: "Which."),
        .value("a-rather-long-option", "value", isRequired: true, help: "It."),
      ],
      examples: [("seedbank pack a", "Packs a.")]
    ) { _, _ in }
    #expect(HelpText.page(for: command) == Self.page)
  }

  private static let page = """
    Pack things.

    First paragraph, which is long enough that it has to go on in a second line of
    text.

    Second.

    Usage: seedbank pack <source> [<mode>] [--dataset <name>] ...
                         --a-rather-long-option <value>

    Arguments:
      <source>                What to pack.
      <mode>                  How. One of: fast, small.

    Options:
      -d, --dataset <name>    Which. May be given more than once.
      --a-rather-long-option <value>
                              It.
      -h, --help              Show help information.

    Examples:
      seedbank pack a
          Packs a.
    """
}
