import Foundation
import SeedSystem
import Support
import Testing

@testable import seedbank

/// The manual pages, as man and whoever reads them see them.
@Suite struct ManualTests {
  private static let pages = ManualPage.all(of: CommandGroup.all)
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try SeedbankBinary.succeed(["manual", "--to", folder("man")], in: folder.path)
  }

  /// A page as a terminal of 80 columns shows it. Fails where groff or man warns of anything.
  private func shown(_ page: ManualPage) throws -> String {
    let path = folder("man/\(page.file)")
    let warnings = try Tool.run(
      ["sh", "-c", "man --warnings=w -E UTF-8 -l -Tutf8 -Z \"$0\" 2>&1 >/dev/null", path],
      environment: ["LC_ALL": "C.UTF-8"])
    #expect(warnings.isEmpty, "\(page.file): \(warnings)")
    return try Tool.run(
      ["sh", "-c", "man -E UTF-8 -l \"$0\" | col -bx", path],
      environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
  }

  @Test func `every command and every configuration file has a page`() throws {
    let expected =
      ["man1/seedbank.1", "man5/seedbank.json.5", "man5/seedbank-dataset.json.5"]
      + Command.all.map { "man1/seedbank-\($0.name).1" }
    let written = try FileManager.default.subpathsOfDirectory(atPath: folder("man")).filter {
      $0.contains(".")
    }
    #expect(Set(written) == Set(expected))
  }

  @Test(.full) func `no page makes man or groff warn, and none is wider than a terminal`() throws {
    for page in Self.pages {
      for line in try shown(page).split(separator: "\n") {
        #expect(line.count <= 80, "\(page.file): \(line)")
      }
    }
  }

  @Test func `what is to be typed stands in the page as it is typed`() throws {
    for command in Command.all {
      let text = try shown(ManualPage(command)).replacing(#/ \\\n +/#, with: " ")
      for option in command.allOptions { #expect(text.contains(option.word), "\(command.name)") }
      for example in command.examples {
        let line = example.line.replacing(#/ \\\n +/#, with: " ")
        #expect(text.contains(line), "\(command.name)")
      }
    }
  }

  @Test func `whatis finds each page by its name`() throws {
    for page in Self.pages {
      let answer = try Tool.run(["lexgrog", folder("man/\(page.file)")])
      #expect(answer.contains("\"\(page.name) - \(page.purpose)\""), "\(answer)")
    }
  }

  @Test func `the pages of section 5 have every setting`() throws {
    let deployment = try #require(Self.pages.first { $0.name == "seedbank.json" })
    let text = try shown(deployment)
    for setting in DeploymentConfiguration.settings {
      #expect(text.contains("\n       \(setting.key)"), "\(setting.key)")
    }
    #expect(text.contains("SEEDBANK_HTTP_PORT") && !text.contains("SEEDBANK_HTTP_TRUSTED_PROXIES"))
    let dataset = try #require(Self.pages.first { $0.name == "seedbank-dataset.json" })
    let other = try shown(dataset)
    for setting in DatasetConfiguration.settings {
      #expect(other.contains("\n       \(setting.key)"), "\(setting.key)")
    }
    #expect(other.contains("SEEDBANK_DATASETS_NAME_POLL_SECONDS"))
  }

  @Test func `exit codes mean in the page what they mean in the article`() throws {
    let article = try String(
      contentsOfFile: "\(Readme.package)/Sources/seedbank/seedbank.docc/Commands.md", encoding: .utf8)
    for code in ExitCode.allCases { #expect(article.contains("| \(code.rawValue) | \(code.meaning) |")) }
  }

  @Test func `the pages are the same again, and replace the older ones`() throws {
    let page = folder("man/man1/seedbank.1")
    let before = try String(contentsOfFile: page, encoding: .utf8)
    try "older".write(toFile: page, atomically: false, encoding: .utf8)
    try SeedbankBinary.succeed(["manual", "--to", folder("man")], in: folder.path)
    #expect(try String(contentsOfFile: page, encoding: .utf8) == before)
  }

  @Test func `a folder that is a file is named, and nothing is written`() throws {
    let outcome = try SeedbankBinary.run(["manual", "--to", folder("man/man1/seedbank.1")])
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("man1/seedbank.1"))
  }

  @Test func `text that roff would take for a request or a quotation stays text`() throws {
    #expect(Roff.text(".profile") == "\\&.profile")
    #expect(Roff.text("'a' \\ --b `c` ~^\"") == "\\(aqa\\(aq \\(rs \\-\\-b \\(gac\\(ga \\(ti\\(ha\\(dq")
    #expect(Roff.marked("a `b-c` d") == "a \\fBb\\-c\\fR d")
  }
}
