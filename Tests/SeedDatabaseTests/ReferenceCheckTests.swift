import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite struct ReferenceCheckTests {
  static let seeds = Stage.pick(quick: 5, full: 150, deep: 150)
  static let steps = 8

  @Test func `checking touched rows agrees with foreign_key_check over whole tables`() throws {
    var violations = 0
    for seed in 0..<UInt64(Self.seeds) {
      var world = try World(seed: seed)
      for step in 0..<Self.steps {
        let (found, expected) = try world.step()
        violations += expected.count
        let isRight = found.map(expected.contains) ?? expected.isEmpty
        #expect(isRight, "seed \(seed), step \(step): \(world.sql)")
      }
    }
    #expect(violations > Self.seeds)
  }

  @Test func `children that reference a generated column are found when their parent is deleted`() throws {
    let (connection, schema) = try openSeed(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT, folded TEXT AS (lower(code)) STORED UNIQUE);
      CREATE TABLE child(id INTEGER PRIMARY KEY, r TEXT REFERENCES parent(folded));
      """)
    let (child, parent) = (schema.tables[0], schema.tables[1])
    try connection.change(schema) { writer in
      try writer.upsert([.integer(1), .text("A")], in: parent)
      try writer.upsert([.integer(1), .text("a")], in: child)
    }
    #expect(throws: ImportError.self) {
      try connection.change(schema) { try $0.delete(key: [.integer(1)], in: parent) }
    }
    try connection.change(schema) { writer in
      try writer.delete(key: [.integer(1)], in: child)
      try writer.delete(key: [.integer(1)], in: parent)
    }
  }

  @Test func `a column whose name differs in the case of a letter beyond ASCII is another column`()
    throws
  {
    let (connection, schema) = try openSeed(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE Ziel(id INTEGER PRIMARY KEY, Ähnlich INTEGER, ähnlich INTEGER REFERENCES PARENT(ID));
      """)
    let (child, parent) = (schema.tables[0], schema.tables[1])
    try connection.change(schema) { writer in
      try writer.upsert([.integer(1)], in: parent)
      for id in 1...8 { try writer.upsert([.integer(Int64(id)), .integer(7), .integer(1)], in: child) }
    }
    try connection.change(schema) { try $0.upsert([.integer(9), .integer(7), .integer(1)], in: child) }
    #expect(throws: ImportError.self) {
      try connection.change(schema) { try $0.upsert([.integer(9), .integer(1), .integer(7)], in: child) }
    }
  }

  @Test func `a deleted parent is looked up among the rows of a child that was not touched`() throws {
    let (connection, schema) = try openSeed(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE child(id INTEGER PRIMARY KEY, r INTEGER REFERENCES parent(id));
      CREATE INDEX child_r ON child(r);
      """)
    let (child, parent) = (schema.tables[0], schema.tables[1])
    try connection.change(schema) { writer in
      for id in 1...2 { try writer.upsert([.integer(Int64(id))], in: parent) }
      for id in 1...8 { try writer.upsert([.integer(Int64(id)), .integer(1)], in: child) }
    }
    // Only a check of all rows would find it.
    try connection.execute("UPDATE child SET r = 3 WHERE id = 8")
    try connection.change(schema) { try $0.delete(key: [.integer(2)], in: parent) }
    #expect(throws: ImportError.self) {
      try connection.change(schema) { try $0.delete(key: [.integer(1)], in: parent) }
    }
  }

  /// Two tables of random types that reference each other and themselves.
  struct World {
    let sql: String
    private var random: SplitMix
    private let connection: Connection
    private let schema: DatabaseSchema

    private static let types = [
      "INTEGER", "TEXT", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "REAL", "NUMERIC", "BLOB", "",
    ]
    private static let values: [SeedValue] = [
      .null, .integer(0), .integer(1), .integer(2), .real(1), .real(1.5), .text("1"), .text("01"), .text("a"),
      .text("A"), .text("a "), .blob([0x61]), .text("1.0"),
    ]

    init(seed: UInt64) throws {
      random = SplitMix(seed: seed)
      sql = Self.sql(&random)
      (connection, schema) = try openSeed(sql)
    }

    private static func sql(_ random: inout SplitMix) -> String {
      // Usually the child has its parent's type; otherwise its values are converted to it before the comparison.
      func pair() -> (String, String) {
        let parent = random.pick(types)
        return (parent, random.chance(70) ? parent : random.pick(types))
      }
      let (id, single, first, second) = (pair(), pair(), pair(), pair())
      var sql = """
        CREATE TABLE parent(id \(id.0) PRIMARY KEY NOT NULL, u \(single.0) UNIQUE, a \(first.0), b \(second.0),
          back INTEGER REFERENCES child(id), UNIQUE(a, b))\(random.chance(30) ? " WITHOUT ROWID" : "");
        CREATE TABLE child(id INTEGER PRIMARY KEY, r \(id.1) REFERENCES parent, s \(single.1) REFERENCES parent(u),
          t \(first.1), v \(second.1), own INTEGER REFERENCES child(id), FOREIGN KEY(t, v) REFERENCES parent(a, b));
        """
      for columns in ["r", "s", "t, v", "v, t", "own", "t"] where random.chance(60) {
        sql += "CREATE INDEX child_\(columns.filter { $0.isLetter }) ON child(\(columns));"
      }
      if random.chance(60) { sql += "CREATE INDEX parent_back ON parent(back);" }
      return sql
    }

    /// Makes random changes and keeps them only if no reference is violated. Returns the reported violation and all those
    /// that SQLite finds.
    mutating func step() throws -> (found: ImportError?, expected: Set<ImportError>) {
      try connection.execute("BEGIN")
      let writer = try SeedWriter(connection, schema)
      do {
        for _ in 0..<Int.random(in: 1...40, using: &random) { try change(writer) }
        let share = random.chance(70) ? 0 : ReferenceCheck.usualShare
        let found = try brokenReference { try writer.checkReferences(wholeTableShare: share) }
        let expected = try bySQLite()
        let isRefused = (try? writer.finish()) == nil
        #expect(isRefused == !expected.isEmpty)
        if isRefused { connection.rollBack() } else { try connection.execute("COMMIT") }
        return (found, expected)
      } catch is ImportError {
        connection.rollBack()
        return (nil, [])
      }
    }

    private mutating func change(_ writer: SeedWriter) throws {
      let table = schema.tables[random.chance(50) ? 0 : 1]
      let key = key(table)
      if random.chance(25) { return try writer.delete(key: [key], in: table) }
      try writer.upsert(table.columns.map { $0.name == "id" ? key : value($0) }, in: table)
    }

    private mutating func key(_ table: TableSchema) -> SeedValue {
      let isInteger = table.columns[0].declaredType == "INTEGER"
      if isInteger { return .integer(Int64.random(in: 0...20, using: &random)) }
      let value = random.pick(Self.values)
      return value == .null ? .integer(7) : value
    }

    private mutating func value(_ column: ColumnSchema) -> SeedValue {
      if random.chance(40) { return .null }
      if ["own", "back"].contains(column.name) { return .integer(Int64.random(in: 0...20, using: &random)) }
      return random.pick(Self.values)
    }

    private func bySQLite() throws -> Set<ImportError> {
      var violations: Set<ImportError> = []
      for row in try connection.rows(#"SELECT "table", rowid, parent FROM pragma_foreign_key_check"#) {
        // For a table WITHOUT ROWID, SQLite does not report the row, so its only reference is checked by hand.
        let sql =
          row[1] == .null
          ? "SELECT id FROM parent WHERE back IS NOT NULL AND back NOT IN (SELECT id FROM child)"
          : "SELECT id FROM \(row[0].text) WHERE rowid = \(row[1])"
        for key in try connection.rows(sql) {
          violations.insert(
            .references(table: row[0].text, parent: row[2].text, key: rowDescription(["id"], key)))
        }
      }
      return violations
    }
  }
}

extension Connection {
  fileprivate func change(_ schema: DatabaseSchema, _ body: (SeedWriter) throws -> Void) throws {
    try transaction {
      let writer = try SeedWriter(self, schema)
      try body(writer)
      _ = try writer.finish()
    }
  }
}

private func brokenReference(_ check: () throws -> Void) throws -> ImportError? {
  do {
    try check()
    return nil
  } catch let error as ImportError {
    guard case .references = error else { throw error }
    return error
  }
}

private func openSeed(_ sql: String) throws -> (Connection, DatabaseSchema) {
  let connection = try Connection("world", .memory)
  try connection.run(script: sql)
  return (connection, try makeSeed(connection))
}
