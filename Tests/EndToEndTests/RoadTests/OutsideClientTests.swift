import Foundation
import Support
import Testing

/// Clients without shared code.
@Suite struct OutsideClientTests {
  private static let folder = "Tests/EndToEndTests/RoadTests"

  @Test(.full) func `a client of the plain HTTP interface follows twenty versions by the documented rule`()
    async throws
  {
    var road = try DemoRoad(seed: 21, trips: 100)
    let server = try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    let models = ["1.0", "2.0", "2.1"]
    func outside(_ model: String, _ action: String) throws -> String {
      try Tool.script(
        "\(Self.folder)/outside_client.py", server.address, "transit", model, road.folder("outside-\(model)"),
        action)
    }
    for model in models { _ = try outside(model, "snapshot") }
    for step in 1...20 {
      try road.mutate(10)
      try road.publish()
      for model in models where step % 4 != 1 { _ = try outside(model, "changes") }
    }
    try road.publish(snapshot: true)
    for model in models {
      _ = try outside(model, "changes")
      #expect(try outside(model, "compare").hasPrefix("equal at version"))
    }
  }

  /// Codes are unique and change rows: a step swaps two, reuses a deleted row's code, or shifts all of them.
  @Test(.full)
  func `a client of the plain HTTP interface follows deleted rows and moved unique values`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    try Tool.sqlite(folder("my.sqlite"), Self.wanderingCodes)
    for arguments in [["init", "my.sqlite"], ["regenerate"]] {
      try SeedbankBinary.succeed(arguments, in: folder.path)
    }
    let server = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
    func outside(_ store: String, _ action: String) throws -> String {
      try Tool.script("\(Self.folder)/outside_client.py", server.address, "my", "1.0", folder(store), action)
    }
    for store in ["often", "seldom"] { _ = try outside(store, "snapshot") }
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    for step in 1...(Stage.isDeep ? 100 : 12) {
      for _ in 0..<3 { try Tool.sqlite(folder("my.sqlite"), Self.wandering(&random)) }
      try folder.succeed("regenerate")
      try eventually("the front serves it", within: 60) {
        try outside("often", "changes").isEmpty ? true : nil
      }
      if step.isMultiple(of: 5) { _ = try outside("seldom", "changes") }
    }
    try folder.succeed("regenerate", "--snapshot")
    for store in ["often", "seldom"] {
      let verdict = try eventually("\(store) is at the head", within: 60) { () -> String? in
        _ = try outside(store, "changes")
        return try? outside(store, "compare")
      }
      #expect(verdict.hasPrefix("equal at version"), "seed \(seed)")
    }
  }

  private static let wanderingCodes = """
    CREATE TABLE place(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, rank INTEGER NOT NULL, zone TEXT NOT NULL,
      UNIQUE(zone, rank));
    CREATE TABLE visit(id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place(id) ON DELETE CASCADE,
      note TEXT UNIQUE);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO place SELECT i, 'code ' || i, i / 3, 'zone ' || (i % 3) FROM n;
    INSERT INTO visit SELECT id, 41 - id, 'note ' || id FROM place;
    """

  private static func wandering(_ random: inout SplitMix) -> String {
    func someID() -> Int { Int.random(in: 1...40, using: &random) }
    let (one, other) = (someID(), someID())
    let statement =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: swap("code", of: "place", one, other)
      case 1: swap("note", of: "visit", one, other)
      case 2:
        // Gives its code to another row.
        "CREATE TEMP TABLE kept AS SELECT code FROM place WHERE id = \(one); DELETE FROM place WHERE id = \(one); "
          + "UPDATE place SET code = (SELECT code FROM kept) WHERE id = \(other) AND EXISTS (SELECT 1 FROM kept)"
      case 3:
        "UPDATE place SET code = '~' || id; UPDATE place SET code = 'code ' || (id % 40 + \(one)), rank = 100 + id; "
          + "UPDATE place SET rank = (id + \(other)) % 40"
      default:
        "INSERT OR IGNORE INTO place VALUES (\(one), 'new \(one)', \(other) + 200, 'zone 0'); "
          + "INSERT OR IGNORE INTO visit VALUES (\(one) + 100, \(one), 'visit \(other)')"
      }
    return "PRAGMA foreign_keys = ON; BEGIN; \(statement); COMMIT"
  }

  private static func swap(_ column: String, of table: String, _ one: Int, _ other: Int) -> String {
    """
    CREATE TEMP TABLE kept AS SELECT id, \(column) AS value FROM \(table) WHERE id IN (\(one), \(other));
    UPDATE \(table) SET \(column) = '~' || id WHERE id IN (SELECT id FROM kept);
    UPDATE \(table) SET \(column) = coalesce(
      (SELECT value FROM kept WHERE kept.id = \(one) + \(other) - \(table).id),
      (SELECT value FROM kept WHERE kept.id = \(table).id))
    WHERE id IN (SELECT id FROM kept)
    """
  }

  @Test func `the example client has the rows of pull after a snapshot, deltas and damage`() throws {
    var road = try DemoRoad(seed: 23, trips: 20)
    let server = try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    let file = road.folder("outside/current.sqlite")
    func follow() throws {
      try road.pull("pulled", model: "2.0", from: server.address)
      try Tool.script(
        "Examples/client.py", server.address, road.root, "transit", "2.0", road.folder("outside"))
      #expect(try Dump.rows(of: file) == Dump.rows(of: road.file(of: "pulled")))
    }
    try follow()
    for _ in 0..<2 {
      try road.mutate(10)
      try road.publish()
    }
    try follow()
    try Tool.sqlite(file, "UPDATE stop SET name = 'damaged' WHERE id = (SELECT min(id) FROM stop);")
    try Tool.sqlite(road.origin, "UPDATE stop SET name = 'new' WHERE id = (SELECT max(id) FROM stop);")
    try road.publish()
    try follow()
  }

  @Test func `clients in Python and JavaScript have the rows, sums and searches of pull`() throws {
    let road = try SearchRoad()
    _ = try road.follow()
    let versions = Stage.pick(quick: 3, full: 50, deep: 200)
    for version in 2..<versions {
      try road.publish(version)
      _ = try road.follow()
    }
    try road.publish(versions)
    let files = try road.follow()
    let pulled = try Dump.rows(of: files[0])
    #expect(pulled["seedbank_meta"]?.contains("'version','\(versions)'") == true)
    for file in files {
      #expect(try road.verdict(file) == "sound", "\(file)")
      #expect(try Dump.rows(of: file) == pulled, "\(file)")
      #expect(try Dump.schema(of: file) == Dump.schema(of: files[0]), "\(file)")
      #expect(try road.answers(file) == road.answers(files[0]), "\(file)")
    }
    #expect(try road.verdict(road.folder("pulled")) == "sound")
  }

  @Test func `clients of all languages follow a new chain of trust from the newer of their roots`() throws {
    let road = try SearchRoad()
    _ = try road.follow()
    try road.loseRootKeys()
    try road.publish(2)
    _ = try road.follow()
    try FileManager.default.contentsOfDirectory(atPath: road.folder("node/metadata"))
      .forEach { try Data().write(to: URL(fileURLWithPath: road.folder("node/metadata/\($0)"))) }
    try road.publish(3)
    for file in try road.follow() {
      #expect(try Dump.rows(of: file)["seedbank_meta"]?.contains("'version','3'") == true, "\(file)")
    }
  }

  @Test(arguments: ["Python", "JavaScript"])
  func `a client rejects a series that is no longer delegated, although it has the series' metadata`(
    _ language: String
  ) throws {
    let folder = try TemporaryFolder(inMemory: true)
    for name in ["my", "other"] {
      try Tool.sqlite(folder("\(name).sqlite"), "CREATE TABLE place(id INTEGER PRIMARY KEY);")
      try folder.succeed("init", "\(name).sqlite")
    }
    try folder.succeed("regenerate")
    func follow() throws {
      let server = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
      let arguments = [server.address, folder("seedbank/root.json"), "my", "1.0", folder("store")]
      _ =
        try language == "Python"
        ? Tool.script("Examples/client.py", arguments) : Tool.node("Examples/client.mjs", arguments)
    }
    try follow()
    // Stored metadata of replaced keys does not count, so the snapshot role's own check does not help.
    try Tool.run(
      ["sed", "-i", "s/\"datasets\": .*/\"datasets\": [\"other\"]/", "seedbank/seedbank.json"],
      in: folder.path)
    try Tool.run(["rm", "-r", folder("seedbank/publication")])
    try folder.succeed("new-epoch", "--yes")
    try folder.succeed("keys", "rotate", "timestamp", "snapshot")
    let failure = #expect(throws: Tool.Failure.self) { try follow() }
    #expect(failure?.output.contains("is not published") == true, "\(failure?.output ?? "")")
  }

  @Test func `the JavaScript client waits for a slow download, and ends one that stalls`() throws {
    let script = """
      import http from 'node:http';
      const { get } = await import(`${process.argv[1]}/metadata.mjs`);
      const server = http.createServer(async (request, response) => {
        for (let count = 0; count < 6; count += 1) {
          response.write('part');
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        if (request.url === '/slow') response.end();
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${server.address().port}`;
      console.log(`${await get(`${address}/slow`, 1000, 1500)}`.length);
      await get(`${address}/stalled`, 1000, 1500).catch((error) => console.log(error.message));
      server.closeAllConnections();
      server.close();
      """
    let output = try Tool.run(
      ["node", "--input-type=module", "-e", script, "\(Readme.package)/Examples"], within: 60)
    #expect(output.hasPrefix("24\n") && output.hasSuffix("/stalled: nothing more arrives\n"), "\(output)")
  }

  @Test(.full) func `python-tuf downloads and verifies every published object`() throws {
    var road = try DemoRoad(seed: 22, trips: 50)
    for _ in 0..<3 {
      try road.mutate(10)
      try road.publish()
    }
    let server = try RunningSeedbank(["serve", "--config", road.config, "--port", "0"], in: road.folder.path)
    for (major, count) in [("1", 2...4), ("2", 4...4)] {
      let output = try Tool.script(
        "\(Self.folder)/tuf_client.py", server.address, road.root, "transit", major, road.folder("tuf"))
      let verified = try #require(Int(output.split(separator: " ")[1]))
      #expect(count.contains(verified), "\(output)")
    }
  }
}
