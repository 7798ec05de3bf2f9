import Foundation
import SeedFormat
import Support
import Testing

@Suite struct BinaryTests {
  @Test(arguments: [["version"], ["--version"]])
  func `the version is one line on stdout`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments).expect(0)
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

  private static let withoutProc = [
    "unshare", "-rm", "sh", "-ec", "mount -t tmpfs tmpfs /proc; exec \"$@\"", "sh",
  ]
  private static let canHideProc = (try? Tool.run(withoutProc + ["true"])) != nil

  @Test(
    .enabled(if: canHideProc, "this user may not mount, or Scripts/deps --test did not install the program"),
    arguments: ["version", "run", "nonsense"])
  func `a command without /proc ends with 71`(command: String) throws {
    let outcome = try TestProgram.run(Self.withoutProc + [SeedbankBinary.path, command], within: longestWait)
    #expect(outcome.status == 71 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: /proc is not mounted"), "\(outcome.errors)")
  }

  @Test(arguments: [["version", "--json"], ["--version", "--json"]])
  func `version --json prints JSON`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments).expect(0)
    #expect(outcome.output == "{\"version\":\"\(Release.version)\"}\n")
  }

  @Test(arguments: [
    [], ["help"], ["--help"], ["-h"], ["help", "version"], ["version", "-h"], ["version", "--help"],
    ["diff", "--bogus", "-h"], ["diff", "a", "b", "c", "--help"],
  ])
  func `help is printed on stdout with status 0`(arguments: [String]) throws {
    let outcome = try SeedbankBinary.run(arguments).expect(0, output: "\n\nUsage: seedbank ")
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
    let outcome = try SeedbankBinary.run(arguments).expect(64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors == errors)
  }

  @Test(arguments: [
    ("doctor", "Missing the argument '<store>'."),
    ("config chek", "Expected \"check\", \"show\", \"keys\" or \"swift\" for '<action>', found 'chek'."),
    ("diff a b --datset a", "Unknown option '--datset': did you mean --dataset?"),
    ("diff a b --DATASET a", "Unknown option '--DATASET': did you mean --dataset?"),
    ("diff a b --data=a", "Unknown option '--data': did you mean --dataset?"),
    ("diff a b -json", "Unknown option '-json': did you mean --json?"),
    ("diff a b --frobnicate", "Unknown option '--frobnicate'."), ("diff a b -z", "Unknown option '-z'."),
    ("diff a b -dc a", "Unknown option '-dc'."), ("diff a b --=a", "Unknown option '--'."),
    ("serve --port", "Missing the value of '--port <number>'."),
    ("serve --port --config", "Missing the value of '--port <number>'."),
    ("serve --port -- 80", "Missing the value of '--port <number>'."),
    ("serve -p", "Missing the value of '--port <number>'."),
    ("version --json=yes", "The option '--json' takes no value, found 'yes'."),
    ("export", "Missing the option '--to <file>'."),
    ("config swift --json", "Expected \"config check\" or \"config show\" for '--json', found 'swift'."),
    ("config keys --json", "Expected \"config check\" or \"config show\" for '--json', found 'keys'."),
    ("keys status --yes", "Expected \"keys rotate\" for '--yes', found 'status'."),
    ("demo --trips=01", "Expected a whole number from 1 to 1000000 for '--trips', found '01'."),
    ("demo --trips=+1", "Expected a whole number from 1 to 1000000 for '--trips', found '+1'."),
    ("export --to=", "Expected a path for '--to', found ''."),
  ])
  func `a wrong word is rejected in one sentence`(words: String, sentence: String) throws {
    let words = words.split(separator: " ").map(String.init)
    let folder = try DeploymentFolder()
    let outcome = try SeedbankBinary.run(words, in: folder.path)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors == "Error: \(sentence)\nSee 'seedbank \(words[0]) --help'.\n")
  }

  @Test(arguments: [
    "origin log setup --print --json", "follow http://127.0.0.1 --root root.json --to copy --serve --json",
  ])
  func `a command that cannot print JSON rejects --json`(words: String) throws {
    let outcome = try SeedbankBinary.run(words.split(separator: " ").map(String.init), in: "/").expect(
      64, "--json")
    #expect(try outcome.json()["error"]?["kind"]?.string == "usage")
  }

  @Test func `two hyphens end the options`() throws {
    try SeedbankBinary.run(["diff", "--", "--json", "other"], in: "/").expect(74, "/--json")
  }
}
