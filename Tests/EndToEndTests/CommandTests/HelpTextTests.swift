import Foundation
import SeedPublication
import Support
import Testing

@testable import seedbank

@Suite struct HelpTextTests {
  @Test func `each command is listed once and has a page with usage and examples, of at most 80 columns`() {
    let names = Command.all.map(\.name)
    #expect(Set(names).count == names.count && names.count > 20)
    let overview = HelpText.overview(of: CommandGroup.all)
    var lines = overview.split(separator: "\n")
    for command in Command.all {
      let (name, page) = (command.name, HelpText.page(for: command))
      #expect(overview.contains("\n  \(name) "))
      #expect(
        page.contains("\n\nUsage: seedbank \(name)") && page.contains("\nExamples:\n  seedbank \(name)"))
      lines += page.split(separator: "\n")
    }
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `help and the article explain exit codes alike`() throws {
    let article = try String(
      contentsOfFile: "\(Readme.package)/Sources/seedbank/seedbank.docc/Commands.md", encoding: .utf8)
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 65, 69, 71, 74, 75, 78])
    for code in ExitCode.allCases { #expect(article.contains("| \(code.rawValue) | \(code.meaning) |")) }
  }

  @Test func `a help page has this layout`() throws {
    #expect(
      try SeedbankBinary.run(["help", "version"]).output == """
        Print the version.

        Usage: seedbank version [--json]

        Options:
          --json                  Print the result as JSON.
          -h, --help              Show help information.

        Examples:
          seedbank version --json
              The version for a script to read.

        """)
  }
}
