import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

/// An import that dies at any file operation leaves the database before it, after it, or after a whole batch; the same
/// command completes it.
@Suite(.serialized) struct ImportFaultTests {
  static let sample = 8
  static let batchRows = 20
  static let batches = 20
  static let losses = 60

  /// A database with rows, and a document of twenty batches that changes some and adds more.
  struct Scene {
    let folder: TemporaryFolder
    let before: [String]
    let arguments: [String]

    /// With `rejects`, every tenth row is bad.
    init(isBatched: Bool, rejects: Bool = false) throws {
      folder = try TemporaryFolder(inMemory: true)
      try Tool.sqlite(
        folder("saved.sqlite"),
        """
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT UNIQUE, rank REAL);
        CREATE INDEX place_rank ON place(rank);
        INSERT INTO place SELECT value * 4, 'old ' || value, 0.5 FROM generate_series(1, 100);
        """)
      let rows = (1...ImportFaultTests.batchRows * ImportFaultTests.batches).map { number in
        let rank = rejects && number.isMultiple(of: 10) ? "\"bad\"" : "\(number).25"
        return #"{"id":\#(number),"name":"place \#(number)","rank":\#(rank)}"#
      }
      try folder.write("[\(rows.joined(separator: ",\n"))]", to: "places.json")
      arguments =
        ["import", "places.json", "--database", "app.sqlite", "--table", "place"]
        + (isBatched ? ["--batch", "\(ImportFaultTests.batchRows)"] : [])
        + (rejects ? ["--bad-rows", "skip", "--rejects", "bad.ndjson"] : [])
      before = try Self.rows(folder("saved.sqlite"))
    }

    func restore() throws { try Self.restore(folder) }

    static func restore(_ folder: TemporaryFolder) throws {
      try Tool.run(
        ["rm", "-f", folder("bad.ndjson")]
          + ["", "-journal", "-wal", "-shm"].map { folder("app.sqlite\($0)") })
      try Tool.run(["cp", folder("saved.sqlite"), folder("app.sqlite")])
    }

    /// Returns the rows that sqlite3 reads, after an integrity check.
    static func rows(_ file: String) throws -> [String] {
      let text = try Tool.sqlite(
        file, "PRAGMA integrity_check; SELECT id, name, rank FROM place ORDER BY id;")
      let lines = text.split(separator: "\n").map(String.init)
      guard lines.first == "ok" else { throw Damaged(words: lines.first ?? "") }
      return Array(lines.dropFirst())
    }

    struct Damaged: Error {
      let words: String
    }

    static func rejected(_ file: String) throws -> [Int] {
      guard Folder.exists(file) else { return [] }
      return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap {
        try? JSONValue(parsing: Array($0.utf8))["row"]?.integer
      }
    }

    var rejected: [Int] { get throws { try Self.rejected(folder("bad.ndjson")) } }

    var rows: [String] { get throws { try Self.rows(folder("app.sqlite")) } }

    /// Whether an interrupted import's list of changed tables is in the database.
    var isUnchecked: Bool {
      get throws {
        let sql = "SELECT name FROM sqlite_schema WHERE name = 'seedbank_unchecked'"
        return try !Tool.sqlite(folder("app.sqlite"), sql).isEmpty
      }
    }
  }

  @Test(arguments: [false, true])
  func `an import that dies leaves whole batches, and the same command completes it`(
    _ isBatched: Bool
  ) throws {
    let (scene, injector) = (try Scene(isBatched: isBatched), try FaultInjector())
    try scene.restore()
    let count = try injector.count(scene.arguments, in: scene.folder.path)
    let after = try scene.rows
    #expect(count > (isBatched ? 100 : 8), "\(count) operations")
    #expect(after.count == Self.batchRows * Self.batches)
    for (fault, point) in FaultInjector.attempts(count, sample: Self.sample) {
      try scene.restore()
      let outcome = try injector.run(scene.arguments, fault, at: point, in: scene.folder.path)
      try expect(
        scene, after, isBatched,
        "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)")
    }
  }

  private func expectRejects(
    in folder: String, _ scene: Scene, _ after: [String], _ rejected: [Int], _ what: String
  ) {
    do {
      let (database, file) = ("\(folder)/app.sqlite", "\(folder)/bad.ndjson")
      let committed = try Scene.rows(database).filter { $0.contains("|place ") }.count * 10 / 9
      #expect(committed.isMultiple(of: Self.batchRows), "\(what): \(committed) rows are no whole batch")
      let kept = Set(try Scene.rejected(file))
      #expect(
        rejected.filter { $0 <= committed }.allSatisfy(kept.contains),
        "\(what): a rejected row of \(committed) is lost")
      try SeedbankBinary.succeed(scene.arguments, in: folder)
      #expect(try Scene.rows(database) == after, "\(what): running it again does not complete it")
      #expect(try Scene.rejected(file) == rejected, "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test func `a power loss loses no rejected row of a committed batch`() throws {
    let (scene, injector) = (try Scene(isBatched: true, rejects: true), try FaultInjector())
    try scene.restore()
    var disk = try ForgetfulDisk(scene.folder.path, root: scene.folder.path)
    let log = try injector.log(scene.arguments, in: scene.folder.path)
    let (after, rejected) = (try scene.rows, try scene.rejected)
    let points = Set(FaultInjector.points(log.count, sample: Self.losses))
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for (index, operation) in log.enumerated() {
      disk.perform(operation.under(scene.folder.path))
      guard points.contains(index + 1) else { continue }
      for mixture in [nil, SplitMix(seed: random.next())] {
        let folder = try TemporaryFolder(inMemory: true)
        var chance = mixture
        try disk.restart(in: folder("disk"), chance: &chance)
        let what = "after \(index + 1) of \(log.count) operations, seed \(seed)"
        expectRejects(in: folder("disk"), scene, after, rejected, what)
      }
    }
  }

  private func expect(_ scene: Scene, _ after: [String], _ isBatched: Bool, _ what: String) throws {
    do {
      let found = try scene.rows
      let imported = found.filter { $0.contains("|place ") }.count
      if isBatched {
        #expect(imported.isMultiple(of: Self.batchRows), "\(what): \(imported) rows are no whole batch")
        #expect(found == Self.prefix(after, scene.before, imported), "\(what)")
        if 0 < imported, imported < after.count {
          #expect(try scene.isUnchecked, "\(what): the database does not list the changed table")
        }
      } else {
        #expect(found == scene.before || found == after, "\(what)")
      }
      try SeedbankBinary.succeed(scene.arguments, in: scene.folder.path)
      #expect(try scene.rows == after, "\(what): running it again does not complete it")
      #expect(try !scene.isUnchecked, "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  /// Returns the expected rows after an import of the document's first `count` rows.
  private static func prefix(_ after: [String], _ before: [String], _ count: Int) -> [String] {
    func id(_ row: String) -> Int { Int(row.prefix { $0 != "|" }) ?? 0 }
    return (after.filter { id($0) <= count } + before.filter { id($0) > count }).sorted { id($0) < id($1) }
  }
}
