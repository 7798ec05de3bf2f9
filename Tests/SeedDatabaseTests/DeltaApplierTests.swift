import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@Suite struct DeltaApplierTests {
  static let sql = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, g TEXT AS (v)); CREATE TABLE u(id INTEGER PRIMARY KEY)
    """

  /// A seed at version 5 with the rows (1, 'a') and (2, 'b').
  private struct Seed {
    let connection: Connection
    let schema: DatabaseSchema

    init() throws {
      connection = try Connection("seed", .memory)
      try connection.execute(DeltaApplierTests.sql)
      schema = try makeSeed(connection, version: 5) { writer, schema in
        for row in [[SeedValue.integer(1), .text("a")], [.integer(2), .text("b")]] {
          try writer.insert(row, in: schema.tables[0])
        }
      }
    }

    func digest(of rows: [[SeedValue]]) -> SHA256Digest {
      StateDigest.of(["t": sum(of: rows), "u": TableSum()])
    }

    @discardableResult
    func apply(_ document: [UInt8]) throws -> ImportResult {
      try connection.transaction { try DeltaApplier(connection, schema).apply(document) }
    }

    func expectUntouched() throws {
      #expect(try connection.rows("SELECT v FROM t") == [[.text("a")], [.text("b")]])
      #expect(try SeedTables.meta(connection).version.number == 5)
      try SeedCheck(connection, schema).run()
    }
  }

  /// Deletes row 1 and changes row 2 to 'c'.
  private func delta(
    _ seed: Seed, from: Int = 5, to: Int = 6, series: SeedSeries = SeedSeries("test", model: "1.0"),
    schema: SHA256Digest? = nil,
    table: String = "t", key: [String] = ["id"], columns: [String] = ["id", "v"], updated: Int64 = 2,
    setting position: Int = 1, isRight: Bool = true
  ) throws -> [UInt8] {
    let after: [[SeedValue]] = [[.integer(2), .text("c")]]
    var writer = DeltaWriter()
    writer.begin(table: table, key: key, columns: columns)
    writer.delete([.integer(1)])
    writer.update([.integer(updated)], [.text("c")], at: [position])
    return writer.document(
      DeltaHeader(
        series: series, model: "1.0", schema: schema ?? seed.schema.hash, from: try SeedVersion(from),
        to: try SeedVersion(to),
        digest: seed.digest(of: isRight ? after : [])))
  }

  @Test(arguments: [(5, 6), (1, 6), (4, 9)])
  func `a delta that covers the seed's version leads to its end`(_ from: Int, _ to: Int) throws {
    let seed = try Seed()
    let changes = try seed.apply(try delta(seed, from: from, to: to)).changes["t"]
    #expect(changes?.deleted == 1 && changes?.updated == 1 && changes?.inserted == 0)
    #expect(try SeedTables.meta(seed.connection).version.number == to)
    try SeedCheck(seed.connection, seed.schema).run()
  }

  @Test(arguments: [(6, 7), (1, 5), (3, 4)])
  func `a delta that does not cover the seed's version is rejected`(_ from: Int, _ to: Int) throws {
    let seed = try Seed()
    let error = ApplyError.outOfRange(from: try SeedVersion(from), to: try SeedVersion(to), version: 5)
    #expect(throws: error) { try seed.apply(try delta(seed, from: from, to: to)) }
    try seed.expectUntouched()
  }

  @Test func `a delta of another dataset, major or schema is rejected`() throws {
    let seed = try Seed()
    for other in [SeedSeries("other", model: "1.0"), SeedSeries("test", model: "2.0")] {
      #expect(throws: ApplyError.otherSeries) { try seed.apply(try delta(seed, series: other)) }
    }
    #expect(throws: ApplyError.otherSeries) { try seed.apply(try delta(seed, schema: seed.digest(of: []))) }
    try seed.expectUntouched()
  }

  @Test func `rows that do not match the delta's digest, or that drifted, are rolled back`() throws {
    let (seed, error) = (try Seed(), ApplyError.digestMismatch(at: 6))
    #expect(throws: error) { try seed.apply(try delta(seed, isRight: false)) }
    try seed.expectUntouched()
    try seed.connection.execute("UPDATE t SET v = 'drifted' WHERE id = 2")
    #expect(throws: error) { try seed.apply(try delta(seed)) }
    try seed.connection.execute("UPDATE t SET v = 'b' WHERE id = 2")
    try seed.apply(try delta(seed))
  }

  @Test(arguments: [0, 7, Int64.max]) func `a wrong number of rows is a mismatch`(_ rows: Int64) throws {
    let seed = try Seed()
    try seed.connection.execute("UPDATE seedbank_table SET rows = ?", .integer(rows))
    #expect(throws: ApplyError.digestMismatch(at: 6)) { try seed.apply(try delta(seed)) }
    var sum = try #require(TableSum(rows: 0, bytes: TableSum().bytes))
    sum.remove(SHA256Digest.of([]))
    #expect(StateDigest.of(["t": sum]) != StateDigest.of(["t": TableSum()]))
  }

  @Test func `an unknown table, wrong columns, and an update of a missing row or of a key are rejected`()
    throws
  {
    let seed = try Seed()
    for (document, error) in [
      (try delta(seed, table: "x"), ImportError.unknownTable("x")),
      (try delta(seed, key: ["v"]), .wrongColumns(table: "t")),
      (try delta(seed, columns: ["v", "id"]), .wrongColumns(table: "t")),
      (try delta(seed, updated: 7), .missingRow(table: "t", key: "id = 7")),
      // A row that the delta deletes.
      (try delta(seed, updated: 1), .missingRow(table: "t", key: "id = 1")),
      (try delta(seed, setting: 0), .wrongSet(table: "t", columns: ["id"])),
    ] {
      #expect(throws: error) { try seed.apply(document) }
      try seed.expectUntouched()
    }
  }

  @Test(arguments: [["w"], ["v", "v"], ["g"]])
  func `an update of an unknown, generated or repeated column is rejected`(_ set: [String]) throws {
    let seed = try Seed()
    let names = set.map { "\"\($0)\"" }.joined(separator: ",")
    let document = String(decoding: try delta(seed), as: UTF8.self)
    let broken = document.replacing(#""sets":[["v"]]"#, with: "\"sets\":[[\(names)]]")
      .replacing(#"[0,2,"c"]"#, with: #"[0,2\#(String(repeating: ",\"c\"", count: set.count))]"#)
    #expect(throws: ImportError.wrongSet(table: "t", columns: set)) { try seed.apply(Array(broken.utf8)) }
    try seed.expectUntouched()
  }

  @Test func `a truncated document leaves no changes`() throws {
    let seed = try Seed()
    let document = try delta(seed)
    for length in [0, 1, document.count / 2, document.count - 20, document.count - 3] {
      #expect(throws: DeltaError.self) { try seed.apply(Array(document.prefix(length))) }
    }
    try seed.expectUntouched()
  }

  @Test func `a connection that enforces foreign keys is rejected because cascades would go unnoticed`()
    throws
  {
    let seed = try Seed()
    try seed.connection.execute("PRAGMA foreign_keys = ON")
    #expect(throws: ImportError.foreignKeysEnforced) { try seed.apply(try delta(seed)) }
    try seed.expectUntouched()
  }
}
