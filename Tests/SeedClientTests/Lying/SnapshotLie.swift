import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support

/// A snapshot that a broken or hostile publisher signs: its length and hash are right, its content is not.
struct SnapshotLie {
  enum Kind: CaseIterable {
    case bytes, rows, rowsWithSums, sums, meta, schema, search, indexTexts, archive, measure, exchange

    /// True if only reading all rows and indexes finds it.
    var needsProof: Bool { [.bytes, .rows, .search].contains(self) }
  }

  private let world: LyingWorld
  private let kind: Kind
  private let scratch: TemporaryFolder
  private var random: SplitMix

  /// The kinds of lies about a world's snapshot.
  static func kinds(in world: LyingWorld) -> [Kind] {
    Kind.allCases.filter { world.leavesIndexesOut || $0 != .indexTexts }
  }

  init(_ world: LyingWorld, _ kind: Kind, seed: UInt64, scratch: TemporaryFolder) {
    (self.world, self.kind, self.scratch) = (world, kind, scratch)
    random = SplitMix(seed: seed)
  }

  mutating func content() throws -> SignedContent {
    switch kind {
    case .bytes: try packed(damaged())
    case .archive: SignedContent(stored: try broken(), raw: truth)
    case .measure: SignedContent(stored: world.stored, raw: otherMeasure())
    case .exchange: SignedContent(stored: random.pick(world.others), raw: truth)
    case .rows: try edited(rowLie())
    case .rowsWithSums:
      try edited(rowLie()) { connection in
        for (table, sum) in try SeedCheck(connection, SchemaReader(connection).schema()).sums() {
          try SeedTables.store(sum, of: table, connection)
        }
      }
    case .sums: try edited(random.pick(Self.sumLies))
    case .meta: try edited(metaLie())
    case .schema: try edited(random.pick(schemaLies))
    case .search: try edited(random.pick(Self.searchLies))
    case .indexTexts: try edited(random.pick(Self.indexLies))
    }
  }

  private var truth: Compression.Measure { Compression.Measure(of: world.raw) }

  /// A new file without leftovers of a damaged database of the same name.
  private func file(_ bytes: [UInt8]) throws -> String {
    let path = scratch("lie")
    for suffix in ["", "-journal", "-shm", "-wal"] { try Folder.remove(path + suffix) }
    try DurableFile.write(bytes, to: path)
    return path
  }

  // MARK: Bytes

  /// The file with other bytes that change its meaning. Many bytes are unused, and any change of them is harmless.
  private mutating func damaged() throws -> [UInt8] {
    let truth = try SeedContent(file(world.raw))
    var bytes: [UInt8]
    var path: String
    repeat {
      bytes = world.raw
      if random.chance(50) { flip(&bytes) } else { mutate(&bytes) }
      path = try file(bytes)
    } while (try? SeedContent(path)) == truth
    return bytes
  }

  /// Flips a bit of a byte that is not 0, so probably of a row, an index or a text of the schema.
  private mutating func flip(_ bytes: inout [UInt8]) {
    let used = random.pick(bytes.indices.filter { bytes[$0] != 0 })
    bytes[used] ^= 1 << UInt8.random(in: 0..<8, using: &random)
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    var mutation = Mutation(seed: random.next())
    bytes = mutation(bytes)
  }

  /// The compressed file with other bytes that expand to something else, or not at all.
  private mutating func broken() throws -> [UInt8] {
    var bytes: [UInt8]
    var found: Compression.Measure?
    repeat {
      bytes = world.stored
      mutate(&bytes)
      let path = try file(bytes)
      found = try? Compression.expand(
        path, to: scratch("expanded"), world.encoding, limit: truth.length)
    } while found == truth
    return bytes
  }

  private mutating func otherMeasure() -> Compression.Measure {
    random.pick([
      Compression.Measure(length: truth.length - 1, sha256: truth.sha256),
      Compression.Measure(length: truth.length + 1, sha256: truth.sha256),
      Compression.Measure(length: truth.length, sha256: .of(world.stored)),
    ])
  }

  private func packed(_ raw: [UInt8]) throws -> SignedContent {
    let (measure, _) = try Compression.compress(file(raw), to: scratch("packed"), world.encoding)
    return SignedContent(stored: try DurableFile.read(scratch("packed"), limit: 1 << 20), raw: measure)
  }

  // MARK: SQL

  private func edited(_ sql: String, then change: (Connection) throws -> Void = { _ in }) throws
    -> SignedContent
  {
    let path = try file(world.raw)
    let connection = try Connection(path, .creator)
    try connection.execute(sql)
    try change(connection)
    return try packed(DurableFile.read(path, limit: 1 << 20))
  }

  private mutating func rowLie() -> String {
    let stop = Int.random(in: 1...LyingWorld.stops, using: &random)
    return random.pick([
      "UPDATE stop SET name = 'Z' WHERE id = \(stop)",
      "UPDATE stop SET code = code || 'x' WHERE id = \(stop)",
      "UPDATE stop SET name = CAST(name AS BLOB) WHERE id = \(stop)",
      "UPDATE stop SET id = id + 1000 WHERE id = \(stop)",
      "INSERT INTO stop VALUES (1000 + \(stop), 'Z', 'Z')",
      "DELETE FROM stop WHERE id = \(stop)", "DELETE FROM stop", "DELETE FROM line WHERE stop = \(stop)",
      "UPDATE line SET stop = stop + 1 WHERE stop = \(stop)",
      "UPDATE line SET colour = NULL WHERE stop = \(stop)",
      "UPDATE line SET stop = 1000 WHERE stop = \(stop)",
    ])
  }

  private static let sumLies = [
    "UPDATE seedbank_table SET rows = rows + 1 WHERE name = 'stop'", "UPDATE seedbank_table SET rows = -1",
    "UPDATE seedbank_table SET rows = 'many'", "UPDATE seedbank_table SET rows = 9223372036854775807",
    "UPDATE seedbank_table SET sum = zeroblob(32)", "UPDATE seedbank_table SET sum = zeroblob(31)",
    "UPDATE seedbank_table SET sum = 'sum' WHERE name = 'line'",
    "DELETE FROM seedbank_table WHERE name = 'line'",
    "UPDATE seedbank_table SET name = 'ghost' WHERE name = 'line'",
    "INSERT INTO seedbank_table VALUES ('ghost', 0, zeroblob(32))",
  ]

  private mutating func metaLie() -> String {
    let key = random.pick(["dataset", "series", "model", "epoch", "version", "schema", "digest"])
    let values = [
      "", "7", "-7", "water", "2.2", "9007199254740991", "0123456789abcdef",
      String(repeating: "a", count: 64),
    ]
    let row = "FROM seedbank_meta WHERE key = '\(key)'"
    return random.chance(10)
      ? "DELETE \(row)"
      : "UPDATE seedbank_meta SET value = '\(random.pick(values))' WHERE key = '\(key)'"
  }

  private var schemaLies: [String] {
    [
      "DROP TABLE line", "DROP TABLE stop_search", "DROP TABLE seedbank_table", "DROP TABLE seedbank_meta",
      "CREATE INDEX more ON stop(name)", "CREATE UNIQUE INDEX more ON stop(name)",
      "CREATE TABLE more(a INTEGER PRIMARY KEY)", "CREATE TABLE more(a)", "CREATE VIEW more AS SELECT 1",
      "CREATE TRIGGER more AFTER UPDATE ON stop BEGIN DELETE FROM line; END",
      "CREATE VIRTUAL TABLE more USING fts5(name)", "ALTER TABLE stop RENAME TO halt",
      "ALTER TABLE line RENAME COLUMN colour TO color", "ALTER TABLE line ADD COLUMN more",
      "ALTER TABLE line ADD COLUMN more AS (1)", "PRAGMA user_version = 1", "PRAGMA application_id = 1",
      "ALTER TABLE seedbank_meta RENAME TO mine; CREATE VIEW seedbank_meta AS SELECT * FROM mine",
      "ALTER TABLE seedbank_table RENAME TO mine; CREATE VIEW seedbank_table AS SELECT * FROM mine",
      "ALTER TABLE seedbank_meta ADD COLUMN more",
    ] + (world.leavesIndexesOut ? [] : ["DROP INDEX line_stop"])
  }

  private static let searchLies = [
    "INSERT INTO stop_search(stop_search) VALUES ('delete-all')",
    "INSERT INTO stop_search(rowid, name) VALUES (1000, 'Ghost')",
    "INSERT INTO stop_search(stop_search, rowid, name) VALUES ('delete', 1, 'New 1')",
  ]

  private static let indexLies =
    [
      "CREATE INDEX line_stop ON line(colour)", "CREATE INDEX line_stop ON line(stop DESC)",
      "CREATE UNIQUE INDEX line_stop ON line(stop)", "CREATE INDEX line_stop ON line(stop) WHERE stop > 1",
      "CREATE INDEX line_stop ON line(trim(colour))", "CREATE INDEX other ON line(stop)",
      "CREATE INDEX line_stop ON line(stop); DELETE FROM stop", "DELETE FROM stop", "PRAGMA user_version = 1",
      "",
      "CREATE INDEX line_stop ON", "CREATE VIEW line_stop AS SELECT 1",
    ].map { "UPDATE seedbank_index SET sql = '\($0)'" } + [
      "UPDATE seedbank_index SET name = 'other'", #"UPDATE seedbank_index SET "table" = 'stop'"#,
      "UPDATE seedbank_index SET name = x'00'", "DELETE FROM seedbank_index", "DROP TABLE seedbank_index",
      "INSERT INTO seedbank_index VALUES (9, 'more', 'stop', 'CREATE INDEX more ON stop(name)', NULL)",
      "INSERT INTO seedbank_index SELECT 9, name, \"table\", sql, NULL FROM seedbank_index",
      "ALTER TABLE seedbank_index ADD COLUMN more",
      "ALTER TABLE seedbank_index RENAME TO mine; CREATE VIEW seedbank_index AS SELECT * FROM mine",
    ]
}

/// Everything that a snapshot states about its data, read with plain SELECTs.
struct SeedContent: Equatable {
  private let schema: SHA256Digest
  private let values: [[SeedValue]]

  /// Without texts about the data's origin, which no signature covers in a file.
  private static let queries = [
    "PRAGMA application_id", "PRAGMA user_version", "SELECT * FROM stop NOT INDEXED ORDER BY id",
    "SELECT * FROM line NOT INDEXED ORDER BY number", "SELECT * FROM seedbank_table ORDER BY name",
    """
    SELECT key, value FROM seedbank_meta
    WHERE key IN ('dataset', 'series', 'model', 'epoch', 'version', 'schema', 'digest') ORDER BY key
    """,
  ]

  /// Throws if SQLite finds damage in the file, its indexes or its search table.
  init(_ path: String) throws {
    let connection = try Connection(path, .creator)
    let complaints = try StructureCheck(connection).complaints(.whole)
    guard complaints.isEmpty else { throw NotASeed(complaints.joined(separator: "; ")) }
    try connection.execute("INSERT INTO stop_search(stop_search, rank) VALUES ('integrity-check', 1)")
    schema = try SchemaReader(connection).schema().hash
    values = try Self.queries.flatMap { try connection.rows($0) }
  }
}
