import Foundation
import SeedFormat
import Support
import Testing

@Suite struct BinaryTests {
  @Test(arguments: [["version"], ["--version"]])
  func `the version is one line on stdout`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output == "seedbank \(Release.version)\n")
    #expect(outcome.errors.isEmpty)
  }

  @Test func `the changelog's newest version is the command's`() throws {
    let changelog = try String(contentsOfFile: "\(Readme.package)/CHANGELOG.md", encoding: .utf8)
    let headings = changelog.split(separator: "\n").filter { $0.hasPrefix("## ") }
    #expect(headings.first?.hasPrefix("## \(Release.version) ") == true)
  }

  @Test func `the command runs with closed standard streams`() throws {
    try Tool.run(["sh", "-c", "exec \"$0\" version <&- >&- 2>&-", SeedbankBinary.path])
  }

  @Test(arguments: [["version", "--json"], ["--version", "--json"]])
  func `version --json prints JSON`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output == "{\"version\":\"\(Release.version)\"}\n")
  }

  @Test(arguments: [
    [], ["help"], ["--help"], ["-h"], ["help", "version"], ["version", "-h"], ["version", "--help"],
  ])
  func `help is printed on stdout with status 0`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("\n\nUsage: seedbank "))
    #expect(outcome.errors.isEmpty)
  }

  @Test(arguments: [
    (["versoin"], "Error: Unknown command 'versoin': did you mean 'version'?\nSee 'seedbank --help'.\n"),
    (["--vers"], "Error: Unknown option '--vers': did you mean --version?\nSee 'seedbank --help'.\n"),
    (
      ["version", "--jsn"],
      "Error: Unknown option '--jsn': did you mean --json?\nSee 'seedbank version --help'.\n"
    ),
    (["version", "now"], "Error: Unexpected argument 'now'.\nSee 'seedbank version --help'.\n"),
    (
      ["help", "versoin"],
      "Error: Unknown command 'versoin': did you mean 'version'?\nSee 'seedbank --help'.\n"
    ),
    (["\u{1B}[2J"], "Error: Unknown command '\\u{1B}[2J'.\nSee 'seedbank --help'.\n"),
  ])
  func `a usage error is explained on stderr and ends with 64`(arguments: [String], errors: String) throws {
    let outcome = try SeedbankBinary.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors == errors)
  }
}
