import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

/// Rows change places with rows that are nested in others, some of which wait themselves.
@Suite struct ImportExchangeTests {
  private static let collecting = ImportPolicy(badRows: .collect)
  private static let schema = """
    CREATE TABLE ch(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE att(id INTEGER PRIMARY KEY, ch INTEGER REFERENCES ch(id), url TEXT UNIQUE);
    CREATE TABLE sub(id INTEGER PRIMARY KEY, att INTEGER REFERENCES att(id), code TEXT UNIQUE);
    INSERT INTO ch VALUES (1, 'A'), (2, 'B'), (3, 'C');
    INSERT INTO att VALUES (10, 1, 'x'), (20, 2, 'y'), (30, 3, 'z');
    INSERT INTO sub VALUES (100, 10, 'p'), (200, 20, 'q'), (300, 30, 'r');
    """
  private static let mapping = ImportMapping(
    TableMapping(
      "ch",
      relations: [
        .array(
          "atts", TableMapping("att", relations: [.array("subs", "sub", parentKey: ["att"])]),
          parentKey: ["ch"])
      ]))

  /// The unique values of the three tables behind an import in which no row is bad.
  private func rows(_ document: String, inBatches: Bool = false) throws -> [String] {
    let bench = try ImportBench(Self.schema)
    var policy = ImportPolicy()
    if inBatches { policy.atomicity = .batched(rows: 3, cursor: bench.file("cursor")) }
    let report = try bench.run(document, mapping: Self.mapping, policy: policy)
    #expect(report.issueCount == 0)
    return try bench.rows("SELECT name FROM ch ORDER BY id") + bench.rows("SELECT url FROM att ORDER BY id")
      + bench.rows("SELECT code FROM sub ORDER BY id")
  }

  @Test(arguments: [false, true])
  func `a row changes places with one that is nested in a row that waits`(inBatches: Bool) throws {
    let rows = try rows(
      """
      [{"id": 1, "name": "B", "atts": [{"id": 10, "url": "z"}]}, {"id": 2, "name": "A"},
       {"id": 3, "name": "C", "atts": [{"id": 30, "url": "x"}]}]
      """, inBatches: inBatches)
    #expect(rows == ["B", "A", "C", "z", "y", "x", "p", "q", "r"])
  }

  @Test func `the one that waits may come last, and three values may go round`() throws {
    let rows = try rows(
      """
      [{"id": 3, "name": "C", "atts": [{"id": 30, "url": "x"}]}, {"id": 2, "name": "A",
       "atts": [{"id": 20, "url": "z"}]}, {"id": 1, "name": "B", "atts": [{"id": 10, "url": "y"}]}]
      """)
    #expect(rows == ["B", "A", "C", "y", "z", "x", "p", "q", "r"])
  }

  @Test func `a value two levels below a row that waits is given to one below a row that does not`() throws {
    let rows = try rows(
      """
      [{"id": 1, "name": "B", "atts": [{"id": 10, "url": "x", "subs": [{"id": 100, "code": "r"}]}]},
       {"id": 2, "name": "A"},
       {"id": 3, "atts": [{"id": 30, "subs": [{"id": 300, "code": "p"}]}]}]
      """)
    #expect(rows == ["B", "A", "C", "x", "y", "z", "r", "q", "p"])
  }

  @Test func `a row changes places with one that is nested in itself`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE node(id INTEGER PRIMARY KEY, up INTEGER REFERENCES node(id), name TEXT UNIQUE);
      INSERT INTO node VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c');
      """)
    let leaf = TableMapping("node", relations: [.array("nodes", "node", parentKey: ["up"])])
    try bench.run(
      """
      [{"id": 1, "name": "b", "nodes": [{"id": 2, "name": "c", "nodes": [{"id": 3, "name": "a"}]}]}]
      """,
      mapping: ImportMapping(
        TableMapping("node", relations: [.array("nodes", leaf, parentKey: ["up"])])))
    #expect(try bench.rows("SELECT name FROM node ORDER BY id") == ["b", "c", "a"])
  }

  @Test func `a nested row with a bad value stays out alone, and who wants what it keeps does too`() throws {
    let bench = try ImportBench(Self.schema)
    let report = try bench.run(
      """
      [{"id": 1, "name": "B", "atts": [{"id": 10, "url": "y"}]}, {"id": 2, "name": "A"},
       {"id": 3, "name": "C", "atts": [{"id": 30, "url": "x"}]}, {"id": 4, "name": "C", "atts": [{"id": 40, "url": "z"}]}]
      """, mapping: Self.mapping, policy: Self.collecting)
    #expect(report.issues.map(\.key) == ["id = 10", "id = 30", "id = 4"])
    #expect(try bench.rows("SELECT name FROM ch ORDER BY id") == ["B", "A", "C"])
    #expect(try bench.rows("SELECT id, url FROM att ORDER BY id") == ["10|x", "20|y", "30|z"])
  }

  @Test func `a row that comes again may free a value only then`() throws {
    let rows = try rows(
      """
      [{"id": 1, "name": "B"}, {"id": 2, "name": "A"}, {"id": 3, "atts": [{"id": 30, "url": "x"}]},
       {"id": 1, "name": "B", "atts": [{"id": 10, "url": "z"}]}]
      """)
    #expect(rows == ["B", "A", "C", "z", "y", "x", "p", "q", "r"])
  }

  @Test func `who waits for a row that comes again and frees nothing is refused at last`() throws {
    let bench = try ImportBench(Self.schema)
    let report = try bench.run(
      """
      [{"id": 1, "name": "B"}, {"id": 2, "name": "A"}, {"id": 3, "atts": [{"id": 30, "url": "x"}]},
       {"id": 1, "name": "B", "atts": [{"id": 10, "url": "y"}]}]
      """, mapping: Self.mapping, policy: Self.collecting)
    #expect(report.issues.map(\.key) == ["id = 30", "id = 10"])
    #expect(try bench.rows("SELECT name FROM ch ORDER BY id") == ["B", "A", "C"])
    #expect(try bench.rows("SELECT url FROM att ORDER BY id") == ["x", "y", "z"])
  }

  @Test func `a row that is refused leaves to others the value that a row in it wanted`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE ch(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE att(id INTEGER PRIMARY KEY, ch INTEGER, url TEXT UNIQUE);
      INSERT INTO ch VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
      INSERT INTO att VALUES (10, 4, 'x'), (20, 6, 'y'), (30, 6, 'z');
      """)
    let mapping = ImportMapping(
      TableMapping("ch", relations: [.array("atts", "att", parentKey: ["ch"])]))
    // 5 comes too late for the name b, so it keeps e, which 4 wants: so 10 stays out, and 20 and 30 change places.
    let report = try bench.run(
      """
      [{"id": 1, "name": "b"}, {"id": 2, "name": "c"}, {"id": 3, "name": "a"},
       {"id": 4, "name": "e", "atts": [{"id": 10, "url": "z"}]}, {"id": 5, "name": "b"},
       {"id": 6, "atts": [{"id": 20, "url": "z"}, {"id": 30, "url": "y"}]}]
      """, mapping: mapping, policy: Self.collecting)
    #expect(report.issues.map(\.key) == ["id = 4", "id = 5"])
    #expect(try bench.rows("SELECT name FROM ch ORDER BY id") == ["b", "c", "a", "d", "e", "f"])
    #expect(try bench.rows("SELECT url FROM att ORDER BY id") == ["x", "z", "y"])
  }

  // MARK: Random documents

  /// Rows of one table, each in a row of the one above, with unique values that many of them exchange.
  private struct Level {
    var values: [Int]
    var owners: [Int]

    /// Gives some of the rows each other's values, and some other owners.
    mutating func shuffle(_ random: inout SplitMix, owners count: Int) {
      let moving = values.indices.filter { _ in Int.random(in: 0..<2, using: &random) == 0 }
      let shuffled = moving.shuffled(using: &random).map { values[$0] }
      for (place, value) in zip(moving, shuffled) { values[place] = value }
      for row in owners.indices where Int.random(in: 0..<4, using: &random) == 0 {
        owners[row] = Int.random(in: 0..<count, using: &random)
      }
    }

    /// Gives a row a value that another has, or nobody.
    mutating func repeatValue(_ random: inout SplitMix) {
      let row = Int.random(in: 0..<values.count, using: &random)
      values[row] = Int.random(in: 0..<values.count + 1, using: &random)
    }

    /// The rows within an owner, or all; `nested` are the further members of each.
    func json(_ owner: Int?, _ value: String, _ nested: (Int) -> String) -> [String] {
      values.indices.filter { owner == nil || owners[$0] == owner }.map {
        #"{"id": \#($0), "\#(value)": "\#(values[$0])"\#(nested($0))}"#
      }
    }
  }

  private struct Document {
    var channels = Level(values: Array(0..<6), owners: [])
    var atts = Level(values: Array(0..<10), owners: (0..<10).map { $0 % 6 })
    var subs = Level(values: Array(0..<14), owners: (0..<14).map { $0 % 10 })

    mutating func shuffle(_ random: inout SplitMix) {
      channels.shuffle(&random, owners: 0)
      atts.shuffle(&random, owners: channels.values.count)
      subs.shuffle(&random, owners: atts.values.count)
    }

    func text(_ random: inout SplitMix) -> String {
      let rows = channels.json(nil, "name") { channel in
        let atts = atts.json(channel, "url") { att in
          #", "subs": [\#(subs.json(att, "code") { _ in "" }.joined(separator: ", "))]"#
        }
        return #", "atts": [\#(atts.joined(separator: ", "))]"#
      }
      return "[\(rows.shuffled(using: &random).joined(separator: ",\n"))]"
    }

    var rows: [String] {
      channels.values.map(\.description) + zip(atts.values, atts.owners).map { "\($0)|\($1)" }
        + zip(subs.values, subs.owners).map { "\($0)|\($1)" }
    }
  }

  @Test(arguments: Array(1...4) as [UInt64], [1, .max])
  func `a document whose values are all different is taken in, whoever had them before`(
    seed: UInt64, mostWaitingRows: Int
  ) throws {
    var random = SplitMix(seed: seed)
    var hooks = ImportHooks()
    hooks.mostWaitingRows = mostWaitingRows
    let bench = try ImportBench(Self.schema)
    try bench.execute("DELETE FROM ch; DELETE FROM att; DELETE FROM sub")
    var document = Document()
    for round in 0..<40 {
      let text = document.text(&random)
      let report = try bench.run(text, mapping: Self.mapping, policy: Self.collecting, hooks: hooks)
      try #require(report.issues.map(\.description) == [], "seed \(seed), round \(round)")
      let rows =
        try bench.rows("SELECT name FROM ch ORDER BY id") + bench.rows("SELECT url, ch FROM att ORDER BY id")
        + bench.rows("SELECT code, att FROM sub ORDER BY id")
      #expect(rows == document.rows, "seed \(seed), round \(round)")
      document.shuffle(&random)
    }
  }

  /// What became of the rows of one level; those in a row that is refused stay as they were.
  private func expectDecided(
    _ level: Level, _ table: String, _ value: String, _ bench: ImportBench, _ report: ImportReport,
    _ place: String, within refusedOwners: Set<Int>
  ) throws -> Set<Int> {
    let refused = Set(
      report.issues.filter { $0.table == table }.compactMap { $0.key.flatMap { Int($0.dropFirst(5)) } })
    for (row, wanted) in level.values.enumerated() {
      guard level.owners.isEmpty || !refusedOwners.contains(level.owners[row]) else { continue }
      let place = "\(table) \(row), \(place)"
      let holders = try bench.rows("SELECT id FROM \(table) WHERE \(value) = '\(wanted)'")
      #expect(holders.count == 1, "nobody has the value of \(place)")
      #expect((holders == ["\(row)"]) != refused.contains(row), "\(place)")
    }
    let lost = level.values.indices.filter {
      !level.owners.isEmpty && refusedOwners.contains(level.owners[$0])
    }
    return refused.union(lost)
  }

  @Test(.full, arguments: Array(1...6) as [UInt64])
  func `a row stays out only where another has its value, however deep the one or the other lies`(
    seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    for round in 0..<30 {
      let bench = try ImportBench(Self.schema)
      try bench.execute("DELETE FROM ch; DELETE FROM att; DELETE FROM sub")
      try bench.run(Document().text(&random), mapping: Self.mapping)
      var document = Document()
      document.shuffle(&random)
      for _ in 0..<4 {
        document.channels.repeatValue(&random)
        document.atts.repeatValue(&random)
        document.subs.repeatValue(&random)
      }
      let place = "seed \(seed), round \(round)"
      let report = try bench.run(
        document.text(&random), mapping: Self.mapping, policy: Self.collecting)
      var refused = try expectDecided(document.channels, "ch", "name", bench, report, place, within: [])
      refused = try expectDecided(document.atts, "att", "url", bench, report, place, within: refused)
      _ = try expectDecided(document.subs, "sub", "code", bench, report, place, within: refused)
    }
  }
}
