import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedTrust
import Support
import Testing

@Suite struct ComparisonTests {
  static let pairs = Stage.pick(quick: 5, full: 40, deep: 40)

  private func database(_ sql: String) throws -> Connection {
    let connection = try Connection("side", .scratch)
    try connection.execute(sql)
    return connection
  }

  @Test func `the comparison of random databases matches a full comparison of their rows`() throws {
    for seed in 0..<Self.pairs {
      let history = try RandomHistory(seed: UInt64(seed))
      let folder = try TemporaryFolder(inMemory: true)
      let deployment = try TestDeployment([model("1.0", HardSchema.sql)], in: folder)
      var states: [SeedRows] = []
      for _ in 0..<2 {
        repeat { try history.mutate() } while states.last == (try history.rows())
        try history.write(to: deployment.originPath)
        _ = try deployment.step()
        states.append(try history.rows())
      }
      let recall = SeriesRecall(deployment.publication, try deployment.metadata())
      let old = try recall.recall(.first, to: folder("old.sqlite"))
      let new = try recall.recall(2, to: folder("new.sqlite"))
      var told: [String: Int] = [:]
      let tables = try SeedComparison(old: old.connection, new: new.connection).run { row in
        told[row.table.name, default: 0] += 1
      }
      for table in tables {
        let expected = Self.expected(
          states[0][table.name] ?? [:], states[1][table.name] ?? [:], new.schema, table.name)
        let found = [table.changes.inserted, table.changes.updated, table.changes.deleted]
        #expect(found == expected, "seed \(seed), table \(table.name)")
        #expect(told[table.name] ?? 0 == found.reduce(0, +), "seed \(seed), table \(table.name)")
      }
    }
  }

  /// A full comparison. The caller skips tables whose collation treats distinct keys as equal.
  private static func expected(
    _ old: [[UInt8]: [UInt8]], _ new: [[UInt8]: [UInt8]], _ schema: DatabaseSchema, _ name: String
  ) -> [Int] {
    let inserted = new.keys.filter { old[$0] == nil }
    let deleted = old.keys.filter { new[$0] == nil }
    let updated = new.filter { key, row in old[key].map { $0 != row } ?? false }
    // A key that changed to one that its collation or SQLite's number comparison considers equal is an update.
    let moved = Self.moved(inserted, deleted, schema, name)
    return [inserted.count - moved, updated.count + moved, deleted.count - moved]
  }

  private static func moved(
    _ inserted: [[UInt8]], _ deleted: [[UInt8]], _ schema: DatabaseSchema, _ name: String
  ) -> Int {
    guard let table = schema.table(name) else { return 0 }
    let order = KeyOrder(table)
    return inserted.count { new in
      deleted.contains { old in order.compare(CanonicalKey(new).values, CanonicalKey(old).values) == 0 }
    }
  }

  @Test func `each kind of difference is reported with its values`() throws {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, v, w TEXT)"
    let old = try database("\(schema); INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (4, NULL, 'd')")
    let new = try database("\(schema); INSERT INTO t VALUES (1, 1.0, 'a'), (3, x'00', 'c'), (4, NULL, 'd')")
    var rows: [RowDifference] = []
    let tables = try SeedComparison(old: old, new: new).run { rows.append($0) }
    #expect(rows.map(\.key) == [[.integer(1)], [.integer(2)], [.integer(3)]])
    #expect(rows[0].old?[1] == .integer(1) && rows[0].new?[1] == .real(1), "1 and 1.0 are not the same")
    #expect(rows[1].new == nil && rows[2].old == nil)
    #expect(
      tables[0].changes.inserted == 1 && tables[0].changes.updated == 1 && tables[0].changes.deleted == 1)
  }

  @Test func `tables and columns on one side only are listed, and others compared in any case`() throws {
    let old = try database(
      """
      CREATE TABLE both(ID INTEGER PRIMARY KEY, A, gone); CREATE TABLE dropped(id INTEGER PRIMARY KEY);
      CREATE TABLE rekeyed(id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL);
      INSERT INTO both VALUES (1, 'x', 1), (2, 'y', 2); INSERT INTO dropped VALUES (1), (2)
      """)
    let new = try database(
      """
      CREATE TABLE Both(added, id INTEGER PRIMARY KEY, a); CREATE TABLE made(id INTEGER PRIMARY KEY);
      CREATE TABLE rekeyed(id INTEGER, code TEXT PRIMARY KEY NOT NULL);
      INSERT INTO Both VALUES (5, 1, 'x'), (6, 2, 'z'); INSERT INTO made VALUES (7)
      """)
    let tables = try SeedComparison(old: old, new: new).run { _ in }
    #expect(tables.map(\.name) == ["Both", "dropped", "made", "rekeyed"])
    #expect(tables.map(\.presence) == [.both, .onlyOld, .onlyNew, .otherKey])
    #expect(tables[0].addedColumns == ["added"] && tables[0].removedColumns == ["gone"])
    #expect(
      tables[0].changes.updated == 1 && tables[1].changes.deleted == 2 && tables[2].changes.inserted == 1)
  }

  @Test func `names that differ in the case of a letter beyond ASCII are different, as in SQLite`() throws {
    let old = try database(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, Größe, Ärmel); INSERT INTO t VALUES (1, 2, 3)")
    let new = try database(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, GRößE, ärmel); INSERT INTO t VALUES (1, 2, 3)")
    let table = try SeedComparison(old: old, new: new).run { _ in }[0]
    #expect(table.addedColumns == ["ärmel"] && table.removedColumns == ["Ärmel"])
    #expect(table.changes.isEmpty)
  }

  @Test func `a value has the same JSON in a comparison and in a delta`() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<200 {
      let value = HardValues.any(&random)
      var delta = DeltaWriter()
      delta.begin(table: "t", key: ["v"], columns: ["v"])
      delta.insert([value])
      let header = DeltaHeader(
        series: try SeedSeries("t", major: 1), model: "1.0", schema: .of([]), from: .first, to: 2,
        digest: .of([]))
      let text = String(decoding: delta.document(header), as: UTF8.self)
      #expect(text.contains("\"insert\":[[\(value.json.text)]]"), "\(value)")
    }
  }
}

/// Decodes a key's values from their canonical bytes.
private struct CanonicalKey {
  private(set) var values: [SeedValue] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func word() -> UInt64 { rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    while let tag = rest.popFirst() {
      switch tag {
      case 1:
        values.append(.integer(Int64(bitPattern: word())))
        rest = rest.dropFirst(8)
      case 2:
        values.append(.real(Double(bitPattern: word())))
        rest = rest.dropFirst(8)
      case 3, 4:
        let count = Int(word())
        let content = Array(rest.dropFirst(8).prefix(count))
        values.append(tag == 3 ? .text(String(decoding: content, as: UTF8.self)) : .blob(content))
        rest = rest.dropFirst(8 + count)
      default: values.append(.null)
      }
    }
  }
}
