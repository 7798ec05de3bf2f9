import Foundation
import SeedDatabase
import SeedSystem
import Support
import Testing

/// An import that dies at any file operation leaves the database before, after, or at a whole batch; running
/// it again completes it.
@Suite(.serialized, .bounded) struct ImportFaultTests {
  static let sample = 12
  static let batchRows = 20
  static let batches = 20

  /// A database with rows of its own, and a document of twenty batches that changes some and adds more.
  struct Scene {
    let folder: TemporaryFolder
    let before: [String]
    let arguments: [String]

    init(isBatched: Bool) throws {
      folder = try TemporaryFolder(inMemory: true)
      try Tool.sqlite(
        folder("saved.sqlite"),
        """
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT UNIQUE, rank REAL);
        CREATE INDEX place_rank ON place(rank);
        INSERT INTO place SELECT value * 4, 'old ' || value, 0.5 FROM generate_series(1, 100);
        """)
      let rows = (1...ImportFaultTests.batchRows * ImportFaultTests.batches).map { number in
        #"{"id":\#(number),"name":"place \#(number)","rank":\#(number).25}"#
      }
      try "[\(rows.joined(separator: ",\n"))]".write(
        toFile: folder("places.json"), atomically: false, encoding: .utf8)
      arguments =
        ["import", "places.json", "--database", "app.sqlite", "--table", "place"]
        + (isBatched ? ["--batch", "\(ImportFaultTests.batchRows)"] : [])
      before = try Self.rows(folder("saved.sqlite"))
    }

    /// Puts the database back, without a journal and without a cursor.
    func restore() throws {
      try Tool.run(
        ["rm", "-f"] + ["", "-journal", "-wal", "-shm", ".import-cursor"].map { folder("app.sqlite\($0)") })
      try Tool.run(["cp", folder("saved.sqlite"), folder("app.sqlite")])
    }

    /// What the sqlite3 command finds, after a check of the whole file.
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

    var rows: [String] { get throws { try Self.rows(folder("app.sqlite")) } }
  }

  @Test(arguments: [false, true])
  func `an import that dies leaves a state that was meant, and completes when it is run again`(
    _ isBatched: Bool
  ) throws {
    let (scene, injector) = (try Scene(isBatched: isBatched), try FaultInjector())
    try scene.restore()
    let count = try injector.count(scene.arguments, in: scene.folder.path)
    let after = try scene.rows
    #expect(count > (isBatched ? 100 : 8), "\(count) operations")
    #expect(after.count == Self.batchRows * Self.batches)
    for fault in FaultInjector.Fault.allCases {
      for point in FaultInjector.points(count, sample: Self.sample) {
        try scene.restore()
        let outcome = try injector.run(scene.arguments, fault, at: point, in: scene.folder.path)
        try expect(
          scene, after, isBatched,
          "\(fault) at \(point) of \(count), status \(outcome.status): \(outcome.errors)")
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
      } else {
        #expect(found == scene.before || found == after, "\(what)")
      }
      try SeedbankBinary.succeed(scene.arguments, in: scene.folder.path)
      #expect(try scene.rows == after, "\(what): running it again does not complete it")
      #expect(!Folder.exists(scene.folder("app.sqlite.import-cursor")), "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  /// The rows that the first `count` rows of the document leave.
  private static func prefix(_ after: [String], _ before: [String], _ count: Int) -> [String] {
    func id(_ row: String) -> Int { Int(row.prefix { $0 != "|" }) ?? 0 }
    return (after.filter { id($0) <= count } + before.filter { id($0) > count }).sorted { id($0) < id($1) }
  }
}
