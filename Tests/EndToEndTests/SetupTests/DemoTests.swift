import SeedDatabase
import SeedPublisher
import Support
import Testing

@Suite struct DemoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func makeDemo(_ name: String) throws {
    #expect(try folder.seedbank("demo", "--directory", name, "--trips", "200").status == 0)
  }

  @Test func `two demos hold the same data`() throws {
    try makeDemo("a")
    try makeDemo("b")
    let sums = try ["a", "b"].map { try folder.sqlite("\($0)/transit.sqlite", ".sha3sum --schema") }
    #expect(sums[0] == sums[1])
    #expect(sums[0].count >= 56)
    #expect(try folder.text("a/keys/root.key") != folder.text("b/keys/root.key"))
  }

  @Test func `the demo's origin has the documented size and no broken reference`() throws {
    try makeDemo("demo")
    let counts = try folder.sqlite(
      "demo/transit.sqlite",
      """
      SELECT (SELECT count(*) FROM stop), (SELECT count(*) FROM trip), (SELECT count(*) FROM stop_time);
      PRAGMA foreign_key_check; PRAGMA integrity_check;
      """)
    #expect(counts == "13000|200|4000\nok\n")
  }

  @Test func `the committed configuration equals the demo's output`() throws {
    try makeDemo("demo")
    let ours = folder.files.filter { $0.hasPrefix("demo/") }.map { String($0.dropFirst(5)) }
    let made = ["keys", "publication", "root.json", "transit.sqlite"]
    let expected = ours.filter { name in !made.contains { name == $0 || name.hasPrefix("\($0)/") } }
    #expect(DemoFiles.all == expected)
    for name in expected where name.hasSuffix(".json") || name.hasSuffix(".sql") {
      #expect(try folder.text("demo/\(name)") == DemoFiles.text(name), "\(name)")
    }
  }

  @Test(.full) func `run --demo changes the origin, which stays consistent`() throws {
    try makeDemo("demo")
    let run = try RunningSeedbank(["run", "--demo", "--port", "0"], in: folder("demo"))
    try eventually("two changes are made", within: 60) {
      run.errors.matches(of: #/demo: /#).count > 1 ? true : nil
    }
    #expect(run.stop() == 0)
    let check = "PRAGMA foreign_key_check; PRAGMA integrity_check"
    #expect(try folder.sqlite("demo/transit.sqlite", check) == "ok\n")
  }

  @Test func `a dry run of demo writes nothing`() throws {
    try folder.seedbank("demo", "--dry-run").expect(
      0, output: "Would write \(folder("seedbank/transit.sqlite"))")
    #expect(folder.files.isEmpty)
  }

  @Test func `config swift prints the newest or the requested model`() throws {
    #expect(try folder.seedbank("demo", "--trips", "1").status == 0)
    let newest = try folder.seedbank("config", "swift")
    #expect(
      newest.output.contains("static let transit = SeedModel(\n    dataset: \"transit\", version: \"2.1\","))
    let schema = try folder.text("seedbank/transit/models/2.1/schema.sql")
    let hash = try SchemaReader.schema(of: schema).hash
    #expect(newest.output.contains("schema: \"\(hash)\""))
    let first = try folder.seedbank("config", "swift", "--dataset", "transit", "--model", "1.0")
    #expect(first.output.contains("version: \"1.0\""))
    #expect(try folder.seedbank("config", "swift", "--model", "3.0").status == 64)
    #expect(try folder.seedbank("config", "swift", "--dataset", "bus").status == 64)
    #expect(try folder.seedbank("config", "sing").status == 64)
  }
}
