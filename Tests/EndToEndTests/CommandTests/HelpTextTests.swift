import Foundation
import SeedPublication
import Support
import Testing

@Suite struct HelpTextTests {
  @Test func `each command is listed once and has a page with usage and examples, of at most 80 columns`()
    throws
  {
    let commands = try SeedbankBinary.commands()
    #expect(Set(commands).count == commands.count && commands.count > 20)
    for name in commands {
      let page = try SeedbankBinary.run(["help", name]).output
      #expect(
        page.contains("\n\nUsage: seedbank \(name)") && page.contains("\nExamples:\n  seedbank \(name)"))
      for line in page.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
    let overview = try SeedbankBinary.run(["help"]).output
    for line in overview.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
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
