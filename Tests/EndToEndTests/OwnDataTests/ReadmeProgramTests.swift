import Foundation
import Support
import Testing

/// The README's program against the built modules: a version of `OwnDataTests` that takes seconds.
@Suite struct ReadmeProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The modules that an app links.
  private static let modules = ["SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase", "SeedClient"]

  @Test func `the README's first commands print the output that the README shows`() throws {
    try makeDatabase()
    let port = try freePort()
    let lines = try Readme.block("console", containing: "seedbank run").split(separator: "\n", maxSplits: 1)
    let terminal = try TestProgram(
      ["bash", "-c", String(lines[0].trimmingPrefix("$ "))], in: folder.path,
      environment: OperatorsMachine.environment.merging(["SEEDBANK_HTTP_PORT": "\(port)"]) { $1 },
      joined: true)
    try terminal.waits(for: "print(rows)")
    let shown = lines[1].replacing(":8080", with: ":\(port)")
    #expect(Shown(String(shown)).matches(terminal.output), "\(terminal.output)")
    try terminal.stop(toGroup: true)
  }

  /// The README's own way to a file.
  @discardableResult
  private func makeDatabase() throws -> String {
    let commands = try Readme.block("sh", containing: "init my.sqlite")
    let first = try #require(commands.split(separator: "\n").first)
    try Tool.run(["sh", "-c", String(first)], in: folder.path)
    return commands
  }

  @Test func `an update in the operator's file appears in the README's program`() throws {
    let commands = try makeDatabase()
    for words in [["init", "my.sqlite"], ["config", "swift"]] {
      #expect(commands.contains("/seedbank \(words.joined(separator: " "))"))
      let output = try SeedbankBinary.succeed(words, in: folder.path)
      try folder.write(output, to: "SeedModels.swift")
    }
    let server = try RunningSeedbank(["run", "--port", "0"], in: folder.path)
    try compile(for: server.address)
    let app = try TestProgram(
      ["stdbuf", "-oL", folder("app"), folder("seedbank/root.json")],
      environment: ["XDG_DATA_HOME": folder("data")], joined: true)
    try app.waits(for: "Tea")
    try Tool.sqlite(folder("my.sqlite"), "UPDATE shop SET name = 'Green tea' WHERE id = 1;")
    try app.waits(for: "Green tea")
    #expect(try app.stop() == .killed(signal: SIGTERM))
    try expectEnd()
    #expect(server.stop() == 0)
  }

  /// Expects that a program can end at random moments, while threads of the library download and verify: by `break` some
  /// microseconds after the first rows, which its second argument names, or by a signal.
  private func expectEnd() throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for number in 0..<Stage.pick(quick: 10, full: 500, deep: 500) {
      let moment = UInt32.random(in: 0..<150_000, using: &random)
      let app = try TestProgram(
        [folder("app"), folder("seedbank/root.json"), "\(moment / 10)"],
        environment: ["XDG_DATA_HOME": folder("data\(number)")])
      let signal = number.isMultiple(of: 2) ? nil : random.pick([SIGTERM, SIGINT])
      if let signal {
        usleep(moment)
        app.send(signal)
      }
      let (ending, intended) = (try app.wait(), signal.map(TestProgram.Ending.killed))
      #expect([.exited(0), intended].contains(ending), "number \(number), moment \(moment), seed \(seed)")
    }
  }

  /// The README's program, which ends early if it gets a second argument.
  private func compile(for address: String) throws {
    let program = try Readme.block("swift", containing: "import SeedClient")
    #expect(program.contains("{ print(shops) }"))
    let end = """
      if CommandLine.arguments.count > 2 {
        try? await Task.sleep(for: .microseconds(Int(CommandLine.arguments[2]) ?? 0))
        break
      }
      """
    try folder.write(
      program.replacing("{ print(shops) }", with: "{\nprint(shops)\n\(end)\n}").replacing(
        "http://127.0.0.1:8080", with: address), to: "main.swift")
    let objects = try Self.modules.flatMap(BuiltModules.objects)
    let words = ["main.swift", "SeedModels.swift", "-o", "app", "-swift-version", "6"]
    try BuiltModules.compile(words + objects, in: folder.path)
  }
}
