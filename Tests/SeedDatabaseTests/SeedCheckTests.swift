import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedDatabase

/// The check must find everything that SQLite's own checks find in a file.
@Suite struct SeedCheckTests {
  /// Changed bytes, one at a time; a deep run changes all of them.
  private static let sample = 1_000
  private static let rows = 400

  private static let schema = """
    CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, rank REAL);
    CREATE UNIQUE INDEX shop_by_name ON shop(name, rank DESC);
    CREATE INDEX shop_by_rank ON shop(rank, id);
    CREATE TABLE item(shop INTEGER NOT NULL REFERENCES shop, code TEXT NOT NULL, note, PRIMARY KEY(code, shop))
      WITHOUT ROWID;
    CREATE INDEX item_by_shop ON item(shop);
    CREATE INDEX item_with_note ON item(note) WHERE note IS NOT NULL;
    """

  /// A seed with small pages, so that its trees have several levels.
  private static func make(at path: String) throws -> DatabaseSchema {
    let connection = try Connection(path, .creator)
    try connection.execute("PRAGMA page_size = 512; \(schema)")
    return try makeSeed(connection) { writer, schema in
      for number in 1...Int64(rows) {
        for table in schema.tables { try writer.upsert(row(number, of: table.name), in: table) }
      }
    }
  }

  private static func row(_ number: Int64, of table: String) -> [SeedValue] {
    let text = SeedValue.text("\(table) \(number * 7919 % 1009)")
    return table == "shop"
      ? [.integer(number), text, .real(Double(number % 9) / 2)]
      : [.integer(number % 40 + 1), text, number % 3 == 0 ? .null : .blob([UInt8(number % 256)])]
  }

  private enum Verdict { case sound, broken }

  private func sqliteSays(_ path: String) -> Verdict {
    let answers = try? ["integrity_check", "foreign_key_check"].map { check in
      try Connection(path, .snapshot).rows("PRAGMA \(check)").map { $0[0].text }
    }
    return answers == [["ok"], []] ? .sound : .broken
  }

  /// Checks like a caller with signed metadata, which includes the schema's hash.
  private func check(_ path: String, _ schema: DatabaseSchema) throws {
    let connection = try Connection(path, .snapshot)
    guard try SchemaReader(connection).schema().hash == schema.hash else { throw NotASeed("another schema") }
    let check = SeedCheck(connection, schema)
    try check.checkStructure()
    try check.checkContent()
  }

  private func weSay(_ path: String, _ schema: DatabaseSchema) -> Verdict {
    (try? check(path, schema)) == nil ? .broken : .sound
  }

  @Test func `a reference without columns may lead to a key that is only unique`() throws {
    func write(_ stop: String) throws {
      let folder = try TemporaryFolder(inMemory: true)
      let connection = try Connection(folder("seed.sqlite"), .creator)
      try connection.execute(
        """
        CREATE TABLE station(code TEXT NOT NULL UNIQUE, name TEXT);
        CREATE TABLE stop(id INTEGER PRIMARY KEY, station TEXT REFERENCES station);
        CREATE INDEX stop_by_station ON stop(station);
        """)
      let schema = try makeSeed(connection) { writer, schema in
        try writer.upsert([.text("A"), .null], in: try #require(schema.table("station")))
        try writer.upsert([.integer(1), .text(stop)], in: try #require(schema.table("stop")))
      }
      try SeedCheck(connection, schema).checkContent()
    }
    try write("A")
    #expect(throws: (any Error).self) { try write("B") }
  }

  @Test(.full) func `for any changed byte the check finds what SQLite's checks find`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let (path, broken) = (folder("seed.sqlite"), folder("broken.sqlite"))
    let schema = try Self.make(at: path)
    try check(path, schema)
    var bytes = try Data(contentsOf: URL(filePath: path))
    let seed = Stage.seed
    var chance = SplitMix(seed: seed)
    var (found, more) = (0, 0)
    let places =
      Stage.isDeep
      ? Array(bytes.indices)
      : (0..<Self.sample).map { _ in
        Int.random(in: bytes.indices, using: &chance)
      }
    for place in places {
      let change = UInt8.random(in: 1...255, using: &chance)
      bytes[place] ^= change
      try bytes.write(to: URL(filePath: broken))
      let (sqlite, ours) = (sqliteSays(broken), weSay(broken, schema))
      #expect(
        sqlite == .sound || ours == .broken, "seed \(seed), byte \(place) ^ \(change) of \(bytes.count)")
      if sqlite == .broken { found += 1 } else if ours == .broken { more += 1 }
      bytes[place] ^= change
    }
    #expect(found > places.count / 4, "seed \(seed)")
    print("\(places.count) bytes changed: SQLite found \(found), the digest and sums \(more) more")
  }
}
