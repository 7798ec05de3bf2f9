import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite struct RowBatchTests {
  static let seeds = Stage.pick(quick: 3, full: 25, deep: 25)
  static let steps = 12

  @Test func `batches of any mixture have the rows, counts and sums of single rows`() throws {
    for seed in 0..<UInt64(Self.seeds) {
      var world = try World(seed: seed)
      for step in 0..<Self.steps {
        let (found, expected) = try world.step()
        #expect(found == expected, "seed \(seed), step \(step)")
        #expect(try world.rows() == world.truth, "seed \(seed), step \(step)")
        try SeedCheck(world.connection, world.schema).run()
      }
    }
  }

  @Test func `unique values may move through more rows than a batch holds`() throws {
    let world = try World()
    for shift in [0, 1, 7, 99] as [Int64] {
      try world.write("slots", (0..<100).map { [.integer($0), .integer(($0 + shift) % 100)] })
      let wrong = "SELECT count(*) FROM slots WHERE slot <> (id + ?) % 100"
      #expect(try world.connection.integer(wrong, .integer(shift)) == 0)
      try SeedCheck(world.connection, world.schema).run()
    }
  }

  @Test func `a batch loses no rows under ON CONFLICT REPLACE`() throws {
    let world = try World(more: "CREATE TABLE r(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, v TEXT)")
    for value in ["a", "b"] {
      let changes = try world.write("r", (0..<40).map { [.integer($0), .text(value)] })
      #expect(changes?.inserted == (value == "a" ? 40 : 0) && changes?.updated == (value == "a" ? 0 : 40))
      try SeedCheck(world.connection, world.schema).run()
    }
  }

  @Test(arguments: ["REPLACE", "IGNORE", "ROLLBACK"])
  func `a conflict clause in the schema removes no row and skips none`(clause: String) throws {
    let world = try World(
      more: "CREATE TABLE u(id INTEGER PRIMARY KEY, n INTEGER UNIQUE ON CONFLICT \(clause))")
    for shift in [0, 1, 3] as [Int64] {
      try world.write("u", (0..<5).map { [.integer($0), .integer(($0 + shift) % 5)] })
    }
    #expect(try world.connection.integer("SELECT count(*) FROM u WHERE n = (id + 3) % 5") == 5)
    #expect(throws: ImportError.self) { try world.write("u", [[.integer(9), .integer(0)]]) }
    #expect(try world.connection.integer("SELECT count(*) FROM u") == 5)
    try SeedCheck(world.connection, world.schema).run()
  }

  @Test func `inserting an existing key reports its row at any batch size`() throws {
    let world = try World()
    let table = try #require(world.schema.table("slots"))
    #expect(throws: ImportError.self) {
      try world.connection.transaction {
        let writer = try SeedWriter(world.connection, world.schema)
        for id in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 3] as [Int64] {
          try writer.insert([.integer(id), .null], in: table)
        }
        _ = try writer.finish()
      }
    }
    #expect(try world.connection.integer("SELECT count(*) FROM slots") == 0)
  }

  @Test func `a wrong type in a STRICT table reports its row`() throws {
    let world = try World(more: "CREATE TABLE s(id INTEGER PRIMARY KEY, v INTEGER) STRICT")
    let message = "cannot store TEXT value in INTEGER column s.v"
    #expect(throws: ImportError.constraint(table: "s", key: "id = 40", message: message)) {
      try world.write("s", (0..<64).map { [.integer($0), $0 == 40 ? .text("forty") : .integer($0)] })
    }
  }

  @Test(arguments: [(3, 1), (2_000_000, 1), (3, 2_000_000), (2_000_000, 2_000_000)], [1, 4, 20])
  func `an update keeps the other values of rows with long values`(bytes: (Int, Int), rows: Int) throws {
    let world = try World(more: "CREATE TABLE l(id INTEGER PRIMARY KEY, a TEXT, b BLOB, c TEXT)")
    let ids = 0..<Int64(rows)
    try world.write("l", ids.map { [.integer($0), .text("row \($0)"), long(bytes.0), .text("end")] })
    let table = try #require(world.schema.table("l"))
    try world.connection.transaction {
      let writer = try SeedWriter(world.connection, world.schema)
      for id in ids {
        let update = [.integer(id), long(bytes.1)]
        try LentBytes.lending(update) { try writer.rows(of: table).update(lent: $0, at: [2]) }
      }
      _ = try world.finish(writer)
    }
    let right = "SELECT count(*) FROM l WHERE a = 'row ' || id AND length(b) = ? AND c = 'end'"
    #expect(try world.connection.integer(right, .integer(Int64(bytes.1))) == Int64(rows))
    try SeedCheck(world.connection, world.schema).run()
  }

  private func long(_ bytes: Int) -> SeedValue { .blob(Array(repeating: UInt8(bytes % 251), count: bytes)) }

  /// A table with a case-insensitive key, and one with unique values.
  struct World {
    let connection: Connection
    let schema: DatabaseSchema
    /// Values by lower-case key.
    private(set) var truth: [String: [SeedValue]] = [:]
    private var random: SplitMix

    init(seed: UInt64 = 1, more: String = "") throws {
      random = SplitMix(seed: seed)
      connection = try Connection("world", .memory)
      try connection.execute(
        """
        CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, n INTEGER, b BLOB);
        CREATE TABLE slots(id INTEGER PRIMARY KEY, slot INTEGER UNIQUE);
        \(more)
        """)
      schema = try makeSeed(connection)
    }

    /// Runs of new, known or changed rows, of repeated keys, or a mixture.
    mutating func step() throws -> (found: TableChanges, expected: TableChanges) {
      let table = try #require(schema.table("t"))
      var expected = TableChanges()
      let found = try connection.transaction {
        let writer = try SeedWriter(connection, schema)
        for _ in 0..<Int.random(in: 0...6, using: &random) {
          let (keys, values) = (random.pick([5, 60, 400]), random.pick([1, 2, 50]))
          for _ in 0..<random.pick([3, 20, 100]) {
            if random.chance(3) {
              try delete(writer, key(keys), table, &expected)
            } else {
              try upsert(writer, row(keys, values), table, &expected)
            }
          }
        }
        return try finish(writer).changes["t"] ?? TableChanges()
      }
      return (found, expected)
    }

    @discardableResult
    func write(_ name: String, _ rows: [[SeedValue]]) throws -> TableChanges? {
      let table = try #require(schema.table(name))
      return try connection.transaction {
        let writer = try SeedWriter(connection, schema)
        for row in rows { try writer.upsert(row, in: table) }
        return try finish(writer).changes[name]
      }
    }

    func finish(_ writer: SeedWriter) throws -> ImportResult {
      let result = try writer.finish()
      var meta = try SeedTables.meta(connection)
      meta.digest = result.digest
      try SeedTables.store(meta, connection)
      return result
    }

    private mutating func key(_ keys: Int) -> String {
      let key = "key \(Int.random(in: 0..<keys, using: &random))"
      return random.chance(5) ? key.uppercased() : key
    }

    private mutating func row(_ keys: Int, _ values: Int) -> [SeedValue] {
      // Repeated text whose size sometimes fills a batch.
      let size = random.chance(1) ? 70_000 : random.chance(5) ? 20_000 : 3
      let number = Int64(Int.random(in: 0..<values, using: &random))
      return [.text(key(keys)), .integer(number), .blob(Array(repeating: 1, count: size))]
    }

    private mutating func upsert(
      _ writer: SeedWriter, _ row: [SeedValue], _ table: TableSchema, _ expected: inout TableChanges
    ) throws {
      try writer.upsert(row, in: table)
      let old = truth.updateValue(row, forKey: row[0].text.lowercased())
      if old == nil {
        expected.inserted += 1
      } else if old == row {
        expected.unchanged += 1
      } else {
        expected.updated += 1
      }
    }

    private mutating func delete(
      _ writer: SeedWriter, _ key: String, _ table: TableSchema, _ expected: inout TableChanges
    ) throws {
      try writer.delete(key: [.text(key)], in: table)
      if truth.removeValue(forKey: key.lowercased()) != nil { expected.deleted += 1 }
    }

    func rows() throws -> [String: [SeedValue]] {
      let rows = try connection.rows("SELECT k, n, b FROM t")
      return Dictionary(rows.map { ($0[0].text.lowercased(), $0) }) { $1 }
    }
  }
}
