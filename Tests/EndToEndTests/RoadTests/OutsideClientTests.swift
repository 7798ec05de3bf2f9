import Foundation
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

/// Clients without shared code.
@Suite struct OutsideClientTests {
  private static let folder = "Tests/EndToEndTests/RoadTests"

  @Test(.full) func `a client of the plain HTTP interface follows eight versions by the documented rule`()
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
    for step in 1...8 {
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
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for step in 1...(Stage.isDeep ? 100 : 12) {
      for _ in 0..<3 { try Tool.sqlite(folder("my.sqlite"), Self.wandering(&random)) }
      try folder.succeed("regenerate")
      try eventually("the front serves it") {
        try outside("often", "changes").isEmpty ? true : nil
      }
      if step.isMultiple(of: 5) { _ = try outside("seldom", "changes") }
    }
    try folder.succeed("regenerate", "--snapshot")
    for store in ["often", "seldom"] {
      let verdict = try eventually("\(store) is at the head") { () -> String? in
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
        // Deletes a row and gives its code to another one.
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

  @Test
  func
    `clients in Python and JavaScript have the rows, sums and searches of pull, also after minors, damage and new root keys`()
    throws
  {
    let road = try SearchRoad()
    let versions = Stage.pick(quick: 4, full: 20, deep: 300)
    var files = try road.follow()
    for version in 2...versions {
      if version == 3 { try road.loseRootKeys() }
      if version == 4 {
        try road.emptyMetadata(of: "node")
        let place = "(SELECT min(id) FROM place)"
        try Tool.sqlite(
          road.folder("python/current.sqlite"), "UPDATE place SET name = 'damaged' WHERE id = \(place)")
      }
      if version % 16 == 2 { try road.beginMinor(version) }
      try road.publish(version)
      // The clients miss some versions, and then apply several deltas in one update.
      if version % 4 == 2 { continue }
      let before = files
      files = try road.follow()
      if version % 16 == 3 {
        #expect(files == before, "a client got the minor before \(version) by a snapshot")
      }
      if version % 8 == 3 {
        #expect(try Set(files.map(Dump.rows)).count == 1, "clients differ at \(version)")
      }
    }
    let pulled = try Dump.rows(of: files[0])
    #expect(pulled["seedbank_meta"]?.contains("'version','\(versions)'") == true)
    for file in files {
      #expect(try road.verdict(file) == "sound", "\(file)")
      #expect(try Dump.rows(of: file) == pulled, "\(file)")
      #expect(try Dump.schema(of: file) == Dump.schema(of: files[0]), "\(file)")
      #expect(try road.answers(file) == road.answers(files[0]), "\(file)")
    }
    #expect(try road.verdict(road.folder("pulled")) == "sound")
    let publication = PublicationDirectory(road.folder("seedbank/publication"))
    let (root, state) = (road.folder("seedbank/root.json"), road.folder("tuf"))
    let judged = try Tool.script(
      "\(Self.folder)/tuf_client.py", "file://\(publication.path)", root, "my", "1", state)
    let listed = try publication.published().series.values.first?.metadata.objects.count
    #expect(try judged == "verified \(#require(listed)) targets\n")
  }

  @Test func `clients reject a series that is no longer delegated, although they have the series' metadata`()
    throws
  {
    let folder = try TemporaryFolder(inMemory: true)
    for name in ["my", "other"] {
      try Tool.sqlite(folder("\(name).sqlite"), "CREATE TABLE place(id INTEGER PRIMARY KEY);")
      try folder.succeed("init", "\(name).sqlite")
    }
    try folder.succeed("regenerate")
    let before = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
    for language in ["Python", "JavaScript"] { try follow(before.address, language, in: folder) }
    #expect(before.stop() == 0)
    // Stored metadata of replaced keys does not count, so the snapshot role's own check does not help.
    try Tool.run(
      ["sed", "-i", "s/\"datasets\": .*/\"datasets\": [\"other\"]/", "seedbank/seedbank.json"],
      in: folder.path)
    try Tool.run(["rm", "-r", folder("seedbank/publication")])
    try folder.succeed("new-epoch", "--yes")
    try folder.succeed("keys", "rotate", "timestamp", "snapshot")
    let after = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
    for language in ["Python", "JavaScript"] {
      let failure = #expect(throws: Tool.Failure.self) {
        try follow(after.address, language, in: folder)
      }
      #expect(failure?.output.contains("is not published") == true, "\(language): \(failure?.output ?? "")")
    }
  }

  private func follow(_ address: String, _ language: String, in folder: TemporaryFolder) throws {
    let arguments = [address, folder("seedbank/root.json"), "my", "1.0", folder(language)]
    _ =
      try language == "Python"
      ? Tool.script("Examples/client.py", arguments) : Tool.node("Examples/client.mjs", arguments)
  }

  @Test func `clients reject a series that names a file of another one, by its folder or by its model`()
    throws
  {
    let deployment = try OperatedDeployment()
    let host = try FolderHost(deployment.publication.path)
    var published = try deployment.publication.published()
    let truth = try #require(published.series.values.first?.metadata)
    let object = try #require(truth.newestSnapshot)
    for (major, model) in [(2, "1.0"), (1, "2.0")] {
      let forged = PublishedObject(
        series: try SeedSeries("my", major: major), kind: .delta(from: 1, to: 27), length: object.length,
        sha256: object.sha256, model: try ModelVersion(model), rawLength: object.rawLength,
        schema: object.schema, digest: object.digest)
      let series = SeriesMetadata(
        series: truth.series, state: truth.state, objects: truth.objects + [forged])
      let step = try RepositorySigner(now: .now()).publish(
        [series], after: published, keys: deployment.keys())
      try deployment.publication.write(step.files)
      published = step.published
      for language in ["Python", "JavaScript"] {
        let failure = #expect(throws: Tool.Failure.self) {
          try follow(host.address, language, in: deployment.folder)
        }
        #expect(failure?.output.contains("another series") == true, "\(language): \(failure?.output ?? "")")
      }
    }
  }

  @Test func `the JavaScript client waits for a slow download, and ends one that stalls`() throws {
    let script = """
      import http from 'node:http';
      const { get } = await import(`${process.argv[1]}/metadata.mjs`);
      const server = http.createServer(async (request, response) => {
        for (let count = 0; count < 6; count += 1) {
          response.write('part');
          if (request.url === '/stalled') return;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        response.end();
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${server.address().port}`;
      const stalled = get(`${address}/stalled`, 1000, 1500).catch((error) => error.message);
      console.log(`${await get(`${address}/slow`, 1000, 1500)}`.length);
      console.log(await stalled);
      server.closeAllConnections();
      server.close();
      """
    let output = try Tool.run(
      ["node", "--input-type=module", "-e", script, "\(Readme.package)/Examples"])
    #expect(output.hasPrefix("24\n") && output.hasSuffix("/stalled: nothing more arrives\n"), "\(output)")
  }

  @Test func `for the JavaScript client, 403, 404 and 410 mean a missing file, and other failures do not`()
    throws
  {
    let script = """
      import http from 'node:http';
      const { get } = await import(`${process.argv[1]}/metadata.mjs`);
      const server = http.createServer((request, response) => {
        response.statusCode = Number(request.url.slice(1));
        response.end();
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${server.address().port}`;
      for (const status of [403, 404, 410, 401, 503])
        console.log(await get(`${address}/${status}`, 1000).catch((error) => error.constructor.name));
      server.closeAllConnections();
      server.close();
      """
    let output = try Tool.run(
      ["node", "--input-type=module", "-e", script, "\(Readme.package)/Examples"])
    #expect(output == "null\nnull\nnull\nRefused\nRefused\n")
  }
}
