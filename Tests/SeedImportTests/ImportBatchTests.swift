import CSQLite
import SeedFormat
import SeedImport
import Support
import Testing

/// Batched writes, compared with rows that are written one by one.
@Suite struct ImportBatchTests {
  private static let schema = """
    CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT CHECK (name <> 'x'));
    CREATE TABLE parent(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT NOT NULL DEFAULT 'B',
      owner INTEGER REFERENCES owner(id));
    CREATE TABLE child(parent INTEGER NOT NULL REFERENCES parent(id), n INTEGER NOT NULL, v TEXT NOT NULL,
      PRIMARY KEY (parent, n)) WITHOUT ROWID;
    """

  private static func mapping(
    _ mode: TableMapping.MergeMode, _ nested: RelationMapping.Mode, _ defaults: [String: SeedValue]
  ) -> ImportMapping {
    ImportMapping(
      TableMapping(
        "parent", defaults: defaults,
        relations: [
          .object("owner", "owner", foreignKey: ["owner"]),
          .array("children", "child", parentKey: ["parent"], mode: nested),
        ], mode: mode))
  }

  @Test(arguments: Array(1...Stage.pick(quick: 1, full: 8, deep: 8)) as [UInt64])
  func `batches and single rows lead to the same rows and report`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let together = try ImportBench(Self.schema)
    let alone = try ImportBench(ImportWay.singleRows.schema(Self.schema, list: "parent"))
    for round in 0..<Stage.pick(quick: 4, full: 30, deep: 30) {
      let document = ImportDocuments.random(&random).bytes
      let mapping = Self.mapping(
        random.pick([.merge, .merge, .mergeAndDeleteMissing, .replace]),
        random.pick([.merge, .replaceForParent]),
        random.pick([[:], ["a": .null, "b": .text("d")]]))
      let policy = ImportPolicy(
        onConflict: random.pick([.overwrite, .overwrite, .keep, .fail]), badRows: .collect,
        references: .keep, acceptsShrink: true)
      let pieces = random.pick([5, 300, 100_000])
      let reports = try [(together, mapping), (alone, ImportWay.singleRows.mapping(mapping))].map {
        try $0.run(documents: [document], mapping: $1, policy: policy, pieces: pieces)
      }
      let place = "seed \(seed), round \(round)"
      try #require(reports[0].issues == reports[1].issues, "\(place)")
      for (table, columns) in ["owner": "*", "parent": "id, a, b, owner", "child": "*"] {
        try #require(Counts(reports[0], table) == Counts(reports[1], table), "\(table), \(place)")
        let rows = try [together, alone].map { try Set($0.rows("SELECT \(columns) FROM \(table)")) }
        try #require(rows[0] == rows[1], "\(table), \(place)")
      }
    }
  }

  /// The results that both ways share. Recognised repeats, which are not listed as unchanged, differ.
  private struct Counts: Equatable {
    let numbers: [Int]

    init(_ report: ImportReport, _ name: String) {
      let table = report.tables[name]
      numbers = [
        table?.inserted, table?.updated, table?.unchanged, table?.deleted, table?.rejected,
      ].compactMap(\.self)
    }
  }

  @Test func `objects of one array are read by their own members, whatever later ones have`() throws {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER, v);")
    let mapping = ImportMapping(TableMapping("p", relations: [.array("c", "c", parentKey: ["p"])]))
    let rows = [
      #"{"id": 2, "c": [{"id": 2, "v": 0}]}"#,
      #"{"id": 6, "c": [{"id": 3}, {"id": 1}, {"v": 10, "id": 11}, {"v": 12, "id": 13}, {"id": 4, "v": 5}]}"#,
    ]
    try bench.run("[\(rows.joined(separator: ","))]", mapping: mapping)
    #expect(
      try bench.rows("SELECT * FROM c") == ["1|6|NULL", "2|2|0", "3|6|NULL", "4|6|5", "11|6|10", "13|6|12"])
  }

  @Test func `rows that are read again are read by their own members, not by those of rows around them`()
    throws
  {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER, v CHECK (v <> 9));"
    )
    let mapping = ImportMapping(TableMapping("p", relations: [.array("c", "c", parentKey: ["p"])]))
    let rows = [
      #"{"id": 1, "c": [{"id": 1, "v": 0}]}"#, #"{"id": 2, "c": [{"v": 2, "id": 2}, {"v": 3, "id": 3}]}"#,
      #"{"id": 3, "c": [{"id": 4, "v": 4}, {"id": 5, "v": 5}]}"#, #"{"id": 4, "c": [{"id": 6, "v": 9}]}"#,
    ]
    try bench.collect("[\(rows.joined(separator: ","))]", mapping: mapping)
    #expect(try bench.rows("SELECT * FROM c") == ["1|1|0", "2|2|2", "3|2|3", "4|3|4", "5|3|5"])
  }

  @Test func `a clean import takes one statement for sixteen rows`() throws {
    let bench = try ImportBench(Self.schema)
    let rows = (0..<500).map {
      #"{"id": \#($0), "owner": {"id": \#($0 % 9), "name": "n"}, "children": [{"n": 1, "v": "v"}]}"#
    }
    for _ in 0..<2 {
      let report = try bench.run(
        "[\(rows.joined(separator: ","))]", mapping: Self.mapping(.merge, .merge, [:]))
      // 1009 rows; the first sixteen of a table are looked up, to see whether they are new.
      #expect(report.statements <= 120)
    }
  }

  @Test func `rows that fill ever other columns are counted, and their statements take bounded memory`()
    throws
  {
    let columns = (0..<11).map { "c\($0)" }
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
    // The bits of a row's number choose its members.
    let rows = (0..<2048).map { row in
      "{"
        + ([#""id": \#(row)"#] + columns.indices.filter { row >> $0 & 1 == 1 }.map { #""c\#($0)": 1"# })
        .joined(separator: ", ") + "}"
    }
    sqlite3_memory_highwater(1)
    let before = sqlite3_memory_used()
    for (inserted, unchanged) in [(2048, 0), (0, 2048)] {
      let report = try bench.run(
        "[\(rows.joined(separator: ","))]", mapping: ImportMapping(TableMapping("t")))
      let counts = try #require(report.tables["t"])
      #expect((counts.inserted, counts.unchanged) == (inserted, unchanged))
    }
    #expect(sqlite3_memory_highwater(0) - before < 16 << 20)
    #expect(try bench.rows("SELECT sum(c0), sum(c10), count(*) FROM t") == ["1024|1024|2048"])
  }

  @Test func `rows that fill different columns are written in order, even within one batch`() throws {
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, a, b)")
    let report = try bench.run(
      #"[{"id":1,"a":1}, {"id":1,"b":2}, {"id":1,"a":3}, {"a":4,"id":1,"b":null}, {"id":1,"a":5}]"#,
      mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT * FROM item") == ["1|5|NULL"])
    #expect(report.tables["item"]?.inserted == 1 && report.tables["item"]?.updated == 4)
  }

  @Test(arguments: ["", "STRICT"])
  func `one bad row among many is the only one skipped`(option: String) throws {
    let bench = try ImportBench(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, a INTEGER CHECK (a <> 77)) \(option)")
    let rows = (0..<2000).map { "{\"id\": \($0), \"a\": \($0)}" }
    let report = try bench.collect(
      "[\(rows.joined(separator: ","))]", mapping: ImportMapping("item"), pieces: 1000)
    #expect(try bench.rows("SELECT count(*), sum(a) FROM item") == ["1999|\(1999 * 1000 - 77)"])
    #expect(report.issues.map(\.row) == [78])
    #expect(report.tables["item"]?.inserted == 1999)
  }

  @Test func `values that only look equal are written`() throws {
    let bench = try ImportBench("CREATE TABLE item(id TEXT PRIMARY KEY COLLATE NOCASE, v)")
    try bench.run(#"[{"id": "a", "v": 1}, {"id": "b", "v": 0.0}]"#, mapping: ImportMapping("item"))
    let report = try bench.run(
      #"[{"id": "A", "v": 1.5}, {"id": "b", "v": -0.0}]"#, mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT id, typeof(v) FROM item") == ["A|real", "b|real"])
    #expect(report.tables["item"]?.updated == 2)
  }

  @Test func `rows that are too large for a batch are written in their order`() throws {
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, a TEXT)")
    let texts = ["x", String(repeating: "y", count: 100_000), "z"]
    let rows = [0, 1, 2, 1, 0].enumerated().map { "{\"id\": \($0 % 4), \"a\": \"\(texts[$1])\"}" }
    let report = try bench.run("[\(rows.joined(separator: ","))]", mapping: ImportMapping("item"))
    #expect(
      try bench.rows("SELECT id, substr(a, 1, 1), length(a) FROM item")
        == ["0|x|1", "1|y|100000", "2|z|1", "3|y|100000"])
    #expect(report.tables["item"]?.inserted == 4 && report.tables["item"]?.unchanged == 1)
  }

  @Test func `rows of a table with as many columns as SQLite allows are imported`() throws {
    let columns = (0..<1999).map { "c\($0)" }.joined(separator: ", ")
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, \(columns))")
    let rows = (1...4).map { #"{"id": \#($0), "c0": 1}"# }.joined(separator: ",")
    let report = try bench.run("[\(rows)]", mapping: ImportMapping("item"))
    #expect(report.tables["item"]?.inserted == 4)
    #expect(try bench.rows("SELECT id, c0 FROM item") == ["1|1", "2|1", "3|1", "4|1"])
  }

  @Test func `texts with escapes are valid until their batch is written`() throws {
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, a TEXT)")
    let rows = (0..<300).map { #"{"id": \#($0), "a": "\u0041\n\#($0)"}"# }
    try bench.run("[\(rows.joined(separator: ","))]", mapping: ImportMapping("item"))
    let wrong = try bench.rows("SELECT count(*) FROM item WHERE a <> 'A' || char(10) || id")
    #expect(wrong == ["0"])
  }
}
