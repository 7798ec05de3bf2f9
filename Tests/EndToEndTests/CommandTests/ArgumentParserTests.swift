import SeedFormat
import Support
import Testing

@testable import seedbank

private let pack = Command(
  name: "pack",
  abstract: "Pack things.",
  arguments: [
    .argument("source", help: "What to pack."),
    .argument("mode", isRequired: false, choices: ["fast", "small"], help: "How."),
  ],
  options: [
    .json, .config,
    .value("dataset", "name", short: "d", isRepeatable: true, help: "Which."),
    .value("port", "number", setting: "http.port", help: "Where."),
    .flag("quiet", help: "Say less."),
  ]
) { _, _ in }

private func parse(_ words: String...) throws -> ParsedArguments {
  try ArgumentParser.parse(words, for: pack)
}

@Suite struct ArgumentParserTests {
  @Test func `a value follows its option or its equals sign`() throws {
    #expect(try parse("x", "--port", "80").string("port") == "80")
    #expect(try parse("x", "--port=80").string("port") == "80")
    #expect(try parse("x", "--port=a=b").string("port") == "a=b")
    #expect(try parse("x", "--port=").string("port") == "")
    #expect(try parse("x", "--port=-1").string("port") == "-1")
    #expect(try parse("x", "-d", "a", "-d=b", "--dataset=c").strings("dataset") == ["a", "b", "c"])
  }

  @Test func `options may come before, between and after arguments`() throws {
    let arguments = try parse("--quiet", "x", "--port", "1", "fast", "--json")
    #expect(arguments.required("source") == "x")
    #expect(arguments.string("mode") == "fast")
    #expect(arguments.flag("quiet") && arguments.flag("json"))
  }

  @Test func `an option or argument that was not given is absent`() throws {
    let arguments = try parse("x")
    #expect(arguments.string("mode") == nil)
    #expect(arguments.strings("dataset").isEmpty)
    #expect(!arguments.flag("quiet"))
    #expect(try arguments.integer("port", in: 0...9) == nil)
    #expect(try arguments.path("config", from: "/") == nil)
  }

  @Test func `two hyphens end the options, and one hyphen is an argument`() throws {
    #expect(try parse("--json", "--", "--quiet").required("source") == "--quiet")
    #expect(try parse("--", "-h").required("source") == "-h")
    #expect(try parse("-").required("source") == "-")
    #expect(try parse("x", "--port", "-").string("port") == "-")
  }

  @Test func `the last value of a repeated option counts`() throws {
    #expect(try parse("x", "--port=1", "--port=2").string("port") == "2")
  }

  @Test func `numbers and paths are parsed`() throws {
    let arguments = try parse("x", "--port", "8080", "--config", "./a/b.json")
    #expect(try arguments.integer("port", in: 0...65535) == 8080)
    #expect(try arguments.path("config", from: "/home/me") == "/home/me/a/b.json")
    #expect(try parse("x", "-c", "/etc//b.json").path("config", from: "/home") == "/etc/b.json")
  }

  @Test func `an option can override a setting`() throws {
    #expect(try parse("x").overrides.isEmpty)
    let expected = SettingOverride(path: "http.port", source: "--port", text: "80")
    #expect(try parse("x", "--port", "80").overrides == [expected])
  }

  @Test(arguments: [
    ([], "Missing the argument '<source>'."),
    (["x", "fast", "y"], "Unexpected argument 'y'."),
    (["x", "slow"], "Expected \"fast\" or \"small\" for '<mode>', found 'slow'."),
    (["x", "--datset", "a"], "Unknown option '--datset': did you mean --dataset?"),
    (["x", "--DATASET", "a"], "Unknown option '--DATASET': did you mean --dataset?"),
    (["x", "--data=a"], "Unknown option '--data': did you mean --dataset?"),
    (["x", "-json"], "Unknown option '-json': did you mean --json?"),
    (["x", "--frobnicate"], "Unknown option '--frobnicate'."),
    (["x", "-z"], "Unknown option '-z'."),
    (["x", "-dc", "a"], "Unknown option '-dc'."),
    (["x", "--=a"], "Unknown option '--'."),
    (["x", "--port"], "Missing the value of '--port <number>'."),
    (["x", "--port", "--json"], "Missing the value of '--port <number>'."),
    (["x", "--port", "--", "80"], "Missing the value of '--port <number>'."),
    (["x", "-d"], "Missing the value of '--dataset <name>'."),
    (["x", "--json=yes"], "The option '--json' takes no value, found 'yes'."),
  ])
  func `a wrong word is rejected in one sentence`(words: [String], sentence: String) throws {
    let error = try #require(throws: UsageError.self) {
      try ArgumentParser.parse(words, for: pack)
    }
    #expect(error.message == "\(sentence)\nSee 'seedbank pack --help'.")
    #expect(FailureReport(error).exitCode == .usage)
  }

  @Test(arguments: ["", "x", "-1", "1.5", "01", "+1", " 1", "65536", "99999999999999999999"])
  func `an integer option rejects other text and numbers out of range`(text: String) throws {
    let error = try #require(throws: UsageError.self) {
      try parse("x", "--port=\(text)").integer("port", in: 0...65535)
    }
    #expect(
      error.message.hasPrefix("Expected a whole number from 0 to 65535 for '--port', found '\(text)'.\n"))
  }

  @Test(arguments: ["", "a\0b"])
  func `an impossible path is rejected`(text: String) throws {
    let error = try #require(throws: UsageError.self) {
      try parse("x", "--config=\(text)").path("config", from: "/")
    }
    #expect(error.message.hasPrefix("Expected a path for '--config', found "))
  }

  @Test func `a required option must be given`() throws {
    let strict = Command(
      name: "pull", abstract: "Pull.",
      options: [.value("store", "folder", isRequired: true, help: "Where to.")]
    ) { _, _ in }
    let error = try #require(throws: UsageError.self) { try ArgumentParser.parse([], for: strict) }
    #expect(error.message == "Missing the option '--store <folder>'.\nSee 'seedbank pull --help'.")
    #expect(try ArgumentParser.parse(["--store", "a"], for: strict).required("store") == "a")
  }

  @Test(arguments: [["x", "--help"], ["-h"], ["--bogus", "-h"], ["a", "b", "c", "--help"]])
  func `--help wins over other errors`(words: [String]) throws {
    guard case .help(let page) = try Invocation(["pack"] + words, among: [pack]) else {
      Issue.record("no help")
      return
    }
    #expect(page.name == "pack")
  }
}

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("datset", "dataset"), ("dtaaset", "dataset"), ("dataset", "dataset"), ("datasets", "dataset"),
    ("DATASET", "dataset"), ("dat", "dataset"), ("prot", "port"), ("config-file", nil), ("zzz", nil),
    ("", nil),
  ])
  func `a typo finds the nearest name, an unrelated word none`(typed: String, nearest: String?) {
    #expect(nearestName(to: typed, in: ["dataset", "port", "config"]) == nearest)
  }

  @Test(arguments: [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3)])
  func `the edit distance counts single slips`(left: String, right: String, distance: Int) {
    #expect(editDistance(Array(left), Array(right)) == distance)
  }

  @Test func `a very long word costs no time`() {
    #expect(nearestName(to: String(repeating: "a", count: 1_000_000), in: ["dataset"]) == nil)
  }
}
