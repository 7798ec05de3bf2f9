import SeedDatabase
import SeedFormat
import Support
import Testing

/// The same delta must lead to the same digest in any table layout.
@Suite struct TableLayoutTests {
  static let seeds = Stage.pick(quick: 12, full: 40, deep: 40)
  static let versions = 8

  static let native = """
    CREATE TABLE stop(id TEXT COLLATE NOCASE PRIMARY KEY, name TEXT, lat REAL, any, parent TEXT REFERENCES stop(id));
    CREATE TABLE line(a INTEGER, b TEXT, stop TEXT REFERENCES stop(id), colour BLOB, PRIMARY KEY(a, b)) WITHOUT ROWID;
    CREATE INDEX line_stop ON line(stop COLLATE NOCASE);
    CREATE TABLE slot(id INTEGER PRIMARY KEY, position INTEGER UNIQUE);
    """

  /// The same tables in Core Data's layout.
  static let foreign = """
    CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER NOT NULL, Z_OPT INTEGER NOT NULL, ZLAT FLOAT,
      ZPARENT VARCHAR, ZNAME VARCHAR, ZANY, ZID VARCHAR COLLATE NOCASE NOT NULL UNIQUE);
    CREATE TABLE ZLINE(ZCOLOUR BLOB, Z_PK INTEGER PRIMARY KEY, ZB VARCHAR, ZA INTEGER, ZSTOP VARCHAR, ZKIND VARCHAR, ZFLAG BLOB,
      UNIQUE(ZB, ZA));
    CREATE TABLE ZSLOT(ZPOSITION INTEGER UNIQUE, ZID INTEGER UNIQUE, Z_PK INTEGER PRIMARY KEY, ZFACTOR REAL);
    """

  @Test
  func `a history of deltas has the same digests in another layout and keeps its constants`()
    throws
  {
    for seed in 0..<UInt64(Self.seeds) {
      var history = try History(seed: seed)
      for version in 2...Self.versions {
        try history.mutate()
        let document = try history.delta(to: version)
        for side in [history.plain, history.other] { try apply(document, to: side, history.schema) }
        try history.compare(seed)
      }
    }
  }

  @Test func `orphans are found in another layout`() throws {
    let history = try History(seed: 1)
    try history.truth.execute(
      "INSERT INTO stop(id) VALUES ('a'); INSERT INTO line VALUES (1, 'x', 'A', NULL)")
    let first = try history.delta(to: 2)
    for side in [history.plain, history.other] { try apply(first, to: side, history.schema) }
    try history.truth.execute("PRAGMA foreign_keys = OFF; DELETE FROM stop")
    let error = ImportError.references(table: "line", parent: "stop", key: "a = 1, b = x")
    let second = try history.delta(to: 3)
    #expect(throws: error) { try apply(second, to: history.other, history.schema) }
  }

  private func apply(_ document: [UInt8], to side: History.Side, _ schema: DatabaseSchema) throws {
    _ = try side.connection.transaction {
      try DeltaApplier(side.connection, schema, side.layouts).apply(document)
    }
  }

  @Test func `a layout that would convert values or leave a column unset is rejected`() throws {
    let stop = try #require(try SchemaReader.schema(of: Self.native).table("stop"))
    func layout(_ sql: String, _ constants: [String: SeedValue] = [:]) throws -> TableLayout {
      let physical = try #require(try SchemaReader.schema(of: sql).tables.first)
      return try TableLayout(stop, in: physical, constants: constants)
    }
    let columns = "name TEXT, lat REAL, any, parent TEXT"
    let key = "pk INTEGER PRIMARY KEY, id TEXT COLLATE NOCASE UNIQUE"
    _ = try layout("CREATE TABLE x(\(key), \(columns))")
    _ = try layout("CREATE TABLE x(\(key), \(columns), more INTEGER NOT NULL)", ["more": .integer(3)])
    #expect(throws: LayoutProblem.noValue(table: "x", column: "more")) {
      try layout("CREATE TABLE x(\(key), \(columns), more INTEGER NOT NULL)")
    }
    #expect(throws: LayoutProblem.otherType(table: "x", column: "id")) {
      try layout("CREATE TABLE x(pk INTEGER PRIMARY KEY, id TEXT UNIQUE, \(columns))")
    }
    #expect(throws: LayoutProblem.otherType(table: "x", column: "lat")) {
      try layout("CREATE TABLE x(\(key), name TEXT, lat TEXT, any, parent TEXT)")
    }
    #expect(throws: LayoutProblem.noColumn(table: "x", column: "parent")) {
      try layout("CREATE TABLE x(\(key), name TEXT, lat REAL, any)")
    }
    #expect(throws: LayoutProblem.noColumn(table: "x", column: "name")) {
      try layout("CREATE TABLE x(\(key), \(columns))", ["name": .null])
    }
  }

  /// A reference database, and two files that follow it by deltas.
  struct History {
    struct Side {
      let connection: Connection
      let layouts: SeedLayout
    }

    let schema: DatabaseSchema
    let truth: Connection
    let plain: Side
    let other: Side
    private var random: SplitMix

    init(seed: UInt64) throws {
      random = SplitMix(seed: seed)
      truth = try Connection("truth", .memory)
      try truth.execute(TableLayoutTests.native)
      schema = try SchemaReader(truth).schema()
      plain = Side(connection: try Self.seed(TableLayoutTests.native, schema), layouts: SeedLayout())
      let connection = try Self.seed(TableLayoutTests.foreign, schema)
      other = Side(connection: connection, layouts: try Self.layouts(schema, SchemaReader(connection)))
    }

    private static func seed(_ sql: String, _ schema: DatabaseSchema) throws -> Connection {
      let connection = try Connection("seed", .memory)
      try connection.execute(sql)
      let meta = SeedMeta(
        series: SeedSeries("test", model: "1.0"), model: "1.0", epoch: .random(), version: 1,
        schema: schema.hash, digest: StateDigest.of([:]), provenance: Provenance())
      try connection.transaction { try SeedTables.create(meta, schema.tables, connection) }
      return connection
    }

    private static func layouts(_ schema: DatabaseSchema, _ file: SchemaReader) throws -> SeedLayout {
      let constants: [String: [String: SeedValue]] = [
        "stop": ["Z_ENT": .integer(3), "Z_OPT": .integer(1)],
        "line": ["ZKIND": .text("it's\u{0}so"), "ZFLAG": .blob([0, 255])], "slot": ["ZFACTOR": .real(0.1)],
      ]
      return SeedLayout(
        try schema.tables.map { table in
          let names = Dictionary(uniqueKeysWithValues: table.columnNames.map { ($0, "Z\($0.uppercased())") })
          return try TableLayout(
            table, in: try file.table("Z\(table.name.uppercased())"), columns: names,
            constants: constants[table.name] ?? [:])
        })
    }

    // MARK: Changes

    mutating func mutate() throws { for _ in 0..<random.pick([3, 40]) { try change() } }

    func delta(to version: Int) throws -> [UInt8] {
      var writer = DeltaWriter()
      for table in schema.tables { try add(table, to: &writer) }
      return writer.document(
        DeltaHeader(
          series: SeedSeries("test", model: "1.0"), model: "1.0", schema: schema.hash,
          from: try SeedVersion(version - 1),
          to: try SeedVersion(version), digest: slowDigest(try seedRows(truth, schema))))
    }

    private func add(_ table: TableSchema, to writer: inout DeltaWriter) throws {
      writer.begin(table: table.name, key: table.keyNames, columns: table.columnNames)
      let before = try rows(plain.connection, table)
      let after = try rows(truth, table)
      for (key, row) in before where after[key] == nil { writer.delete(table.keyValues(of: row)) }
      for (key, row) in after where before[key] != row { writer.upsert(row) }
    }

    private func rows(_ connection: Connection, _ table: TableSchema) throws -> [[SeedValue]: [SeedValue]] {
      let rows = try connection.rows(TableSQL(table).all)
      return Dictionary(uniqueKeysWithValues: rows.map { (table.keyValues(of: $0), $0) })
    }

    private mutating func change() throws {
      let id: SeedValue = .text(
        random.pick(["a", "A", "b", "c", "d"]) + "\(Int.random(in: 0...9, using: &random))")
      let number: SeedValue = .integer(Int64.random(in: 0...40, using: &random))
      let stop = try truth.value("SELECT id FROM stop ORDER BY random() LIMIT 1") ?? .null
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let values = [id, HardValues.text(&random), HardValues.real(&random), HardValues.any(&random), stop]
        try truth.cached("INSERT OR IGNORE INTO stop VALUES (?, ?, ?, ?, ?)").run(values)
      case 4: try truth.execute("UPDATE stop SET any = ? WHERE id = ?", HardValues.any(&random), id)
      case 5: try truth.execute("UPDATE OR IGNORE stop SET id = upper(id) WHERE id = ?", stop)
      case 6: try deleteStop(id)
      case 7: try truth.execute("INSERT OR REPLACE INTO line VALUES (?, 'x', ?, x'00')", number, stop)
      case 8: try truth.execute("INSERT OR REPLACE INTO slot VALUES (?, ?)", number, number)
      default:
        try truth.execute(
          "UPDATE slot SET position = -position; UPDATE OR IGNORE slot SET position = 1 - position")
      }
    }

    private func deleteStop(_ id: SeedValue) throws {
      try truth.execute("UPDATE stop SET parent = NULL WHERE parent = ? COLLATE NOCASE", id)
      try truth.execute("DELETE FROM line WHERE stop = ? COLLATE NOCASE", id)
      try truth.execute("DELETE FROM stop WHERE id = ?", id)
    }

    // MARK: Comparison

    func compare(_ seed: UInt64) throws {
      try SeedCheck(plain.connection, schema).run()
      #expect(try SeedTables.sums(plain.connection) == SeedTables.sums(other.connection), "seed \(seed)")
      let pairs = [
        (
          "SELECT id, name, lat, any, parent FROM stop ORDER BY id",
          "SELECT ZID, ZNAME, ZLAT, ZANY, ZPARENT FROM ZSTOP ORDER BY ZID"
        ),
        (
          "SELECT a, b, stop, colour FROM line ORDER BY a, b",
          "SELECT ZA, ZB, ZSTOP, ZCOLOUR FROM ZLINE ORDER BY ZA, ZB"
        ),
        ("SELECT id, position FROM slot ORDER BY id", "SELECT ZID, ZPOSITION FROM ZSLOT ORDER BY ZID"),
      ]
      for (ours, theirs) in pairs {
        #expect(try plain.connection.rows(ours) == other.connection.rows(theirs), "seed \(seed)")
      }
      let wrong = """
        SELECT count(*) FROM ZSTOP WHERE Z_ENT <> 3 OR Z_OPT <> 1 UNION ALL
        SELECT count(*) FROM ZLINE WHERE hex(ZKIND) <> '6974277300736F' OR ZFLAG <> x'00FF' UNION ALL
        SELECT count(*) FROM ZSLOT WHERE ZFACTOR IS NOT 0.1
        """
      #expect(
        try other.connection.rows(wrong) == [[.integer(0)], [.integer(0)], [.integer(0)]], "seed \(seed)")
    }
  }
}
