import SeedDatabase
import SeedSystem
import Support
import Testing

@Suite struct DemoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private static let template = FolderTemplate()

  private func makeDemo(_ name: String = "demo") throws {
    try folder.succeed("demo", "--directory", name, "--trips", "200")
  }

  /// Makes the folder `demo`.
  private func copyDemo() throws { try Self.template.fill(folder) { try makeDemo() } }

  @Test func `two demos hold the same documented data, and have the committed configuration`() throws {
    try copyDemo()
    try makeDemo("other")
    let sums = try ["demo", "other"].map { try folder.sqlite("\($0)/transit.sqlite", ".sha3sum --schema") }
    #expect(sums[0] == sums[1] && sums[0].count >= 56)
    #expect(try folder.text("demo/keys/root.key") != folder.text("other/keys/root.key"))
    let counts = try folder.sqlite(
      "demo/transit.sqlite",
      """
      SELECT (SELECT count(*) FROM stop), (SELECT count(*) FROM trip), (SELECT count(*) FROM stop_time);
      PRAGMA foreign_key_check; PRAGMA integrity_check;
      """)
    #expect(counts == "13000|200|4000\nok\n")
    let ours = folder.files.filter { $0.hasPrefix("demo/") }.map { String($0.dropFirst(5)) }
    let made = ["keys", "publication", "root.json", "transit.sqlite"]
    let expected = ours.filter { name in !made.contains { name == $0 || name.hasPrefix("\($0)/") } }
    #expect(DemoFiles.all == expected)
    for name in expected where name.hasSuffix(".json") || name.hasSuffix(".sql") {
      #expect(try folder.text("demo/\(name)") == DemoFiles.text(name), "\(name)")
    }
  }

  @Test(.full) func `run --demo changes the origin, which stays consistent`() throws {
    try copyDemo()
    let run = try RunningSeedbank(["run", "--demo", "--port", "0"], in: folder("demo"))
    try eventually("two changes are made") {
      run.errors.matches(of: #/demo: /#).count > 1 ? true : nil
    }
    #expect(run.stop() == 0)
    let check = "PRAGMA foreign_key_check; PRAGMA integrity_check"
    #expect(try folder.sqlite("demo/transit.sqlite", check) == "ok\n")
  }

  @Test func `run --demo changes no origin that demo did not make`() throws {
    try folder.sqlite("my.sqlite", "CREATE TABLE trip(id INTEGER PRIMARY KEY); INSERT INTO trip VALUES (1)")
    try folder.succeed("init", "my.sqlite")
    try folder.seedbank("run", "--demo", "--port", "0").expect(64, "a deployment that 'seedbank demo' made")
  }

  @Test func `a dry run of demo writes nothing`() throws {
    try folder.seedbank("demo", "--dry-run").expect(
      0, output: "Would write \(folder("seedbank/transit.sqlite"))")
    #expect(folder.files.isEmpty)
  }

  @Test func `a signal ends demo and leaves no files`() throws {
    let program = try TestProgram([SeedbankBinary.path, "demo", "--trips", "1000000"], in: folder.path)
    try eventually("its files appear", every: 0.01) {
      try Folder.names(in: folder.path).isEmpty ? nil : true
    }
    #expect(try program.stop() == .killed(signal: SIGTERM))
    #expect(try Folder.names(in: folder.path).isEmpty)
  }

  @Test func `config swift prints the newest or the requested model`() throws {
    try copyDemo()
    func print(_ options: String...) throws -> ProgramOutcome {
      try SeedbankBinary.run(["config", "swift"] + options, in: folder("demo"))
    }
    let schema = try folder.text("demo/transit/models/2.1/schema.sql")
    try print().expect(
      0,
      output: "static let transit = SeedModel(\n    dataset: \"transit\", version: \"2.1\",",
      "schema: \"\(try SchemaReader.schema(of: schema).hash)\"")
    try print("--dataset", "transit", "--model", "1.0").expect(0, output: "version: \"1.0\"")
    for wrong in [["--model", "3.0"], ["--dataset", "bus"]] {
      try SeedbankBinary.run(["config", "swift"] + wrong, in: folder("demo")).expect(64)
    }
  }
}
