import Foundation
import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

/// A row that is too long for memory is read bit by bit, and leads to the same rows, reports and rejects.
@Suite struct ImportLongRowTests {
  private static let schema = """
    CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT UNIQUE, kind TEXT);
    CREATE TABLE seat(id TEXT PRIMARY KEY NOT NULL, event INTEGER NOT NULL REFERENCES event(id), code TEXT UNIQUE,
      price INTEGER CHECK (price > 0)) WITHOUT ROWID;
    CREATE TABLE sale(n INTEGER NOT NULL, seat TEXT NOT NULL REFERENCES seat(id), PRIMARY KEY (seat, n)) WITHOUT ROWID;
    CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL, colour TEXT) WITHOUT ROWID;
    CREATE TABLE eventTag(event INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (event, tag)) WITHOUT ROWID;
    INSERT INTO event VALUES (1, 'old', NULL), (2, 'two', NULL);
    INSERT INTO seat VALUES ('a', 1, 'A', 5), ('b', 1, 'B', 6), ('z', 2, 'Z', 7);
    INSERT INTO eventTag VALUES (1, 'x'), (2, 'x');
    """

  private static let event = TableMapping(
    "event", columns: ["name": "title.en"],
    relations: [
      .array(
        "hall.seats", TableMapping("seat", relations: [.array("sales", "sale", parentKey: ["seat"])]),
        parentKey: ["event"], mode: .replaceForParent),
      .join(
        "tags", TableMapping("tag"), through: "eventTag", parentKey: ["event"], elementKey: ["tag"],
        layout: .dictionary(keyColumn: nil), mode: .replaceForParent),
    ])
  private static let tables = ["event", "seat", "sale", "tag", "eventTag"]

  /// What an import leads to: rows, report, issues, rejects.
  private struct Outcome: Equatable {
    var rows: [[String]] = []
    var counts: [String: [Int]] = [:]
    var issues: [String] = []
    var rejects: [String] = []
    var failure: String?
  }

  private func outcome(
    _ text: String, _ mapping: ImportMapping, longFrom bytes: Int, policy: ImportPolicy
  ) throws -> Outcome {
    let bench = try ImportBench(Self.schema)
    var outcome = Outcome()
    var hooks = ImportHooks()
    hooks.longRowBytes = bytes
    hooks.rejected = { outcome.rejects.append(String(decoding: $0.json, as: UTF8.self)) }
    do {
      let report = try bench.run(text, mapping: mapping, policy: policy, hooks: hooks, pieces: 16)
      for (name, table) in report.tables {
        outcome.counts[name] = [
          table.inserted, table.updated, table.unchanged, table.deleted, table.rejected,
        ]
      }
      outcome.issues = report.issues.map { "\($0.table) \($0.code) \($0.key ?? "") \($0.column ?? "")" }
    } catch let failure as ImportFailure {
      outcome.failure = "\(failure.code)"
    }
    outcome.rows = try Self.tables.map { try bench.rows("SELECT * FROM \"\($0)\"") }
    return outcome
  }

  private func expectSame(
    _ text: String, _ mapping: ImportMapping = ImportMapping(Self.event),
    policy: ImportPolicy = ImportPolicy(badRows: .collect), location: SourceLocation = #_sourceLocation
  ) throws {
    let short = try outcome(text, mapping, longFrom: .max, policy: policy)
    let long = try outcome(text, mapping, longFrom: 32, policy: policy)
    #expect(short == long, sourceLocation: location)
    let before = try outcome("[]", ImportMapping(Self.event), longFrom: .max, policy: policy)
    #expect(short != before, "nothing was compared", sourceLocation: location)
  }

  private static let seats = (1...40).map { number in
    #"{"id": "s\#(number)", "price": \#(number), "sales": [{"n": 1}, {"n": 2}]}"#
  }.joined(separator: ", ")
  private static let row = """
    {"hall": {"size": 3, "seats": [\(seats), {"id": "a"}]}, "unread": {"seats": [\(seats)]}, "id": 1,
     "title": {"en": "a \\"new\\" [name]"}, "tags": {"x": true, "y": {"colour": "red"}, "z": false, "n": null}}
    """

  @Test func `nested arrays, dictionaries and joins of a long row`() throws {
    try expectSame("[\(Self.row)]")
    try expectSame(#"[{"id": 3}, \#(Self.row), {"id": 2, "hall": {"seats": null}}]"#)
  }

  @Test func `a long row in a dictionary, alone, and in lines`() throws {
    try expectSame(
      #"{"events": {"1": \#(Self.row.replacing("\"id\": 1,", with: ""))}}"#,
      ImportMapping(lists: [.init(Self.event, rows: "$.events", layout: .dictionary(keyColumn: "id"))]))
    try expectSame(
      #"{"event": \#(Self.row), "more": 1}"#,
      ImportMapping(lists: [.init(Self.event, rows: "$.event", layout: .single)]))
    let line = Self.row.replacing("\n", with: "")
    try expectSame(
      "\(line)\n{\"id\": 4}\n\(line)\n", ImportMapping(lists: [.init(Self.event, layout: .lines)]))
  }

  @Test func `a nested row that is long itself`() throws {
    let sales = (1...50).map { #"{"n": \#($0)}"# }.joined(separator: ",")
    try expectSame(
      #"[{"hall": {"seats": [{"id": "q"}, {"sales": [\#(sales)], "id": "r"}, {"id": "t"}]}, "id": 1}]"#)
  }

  @Test func `rejected nested rows reject the row whole, on one line`() throws {
    let bad = Self.row.replacing(#""price": 7"#, with: #""price": -7"#)
      .replacing(#""id": "s9""#, with: #""id": null"#)
    try expectSame("[\(bad)]")
    try expectSame("[\(bad.replacing("\"id\": 1", with: "\"id\": \"none\""))]")
  }

  @Test func `nested rows that exchange unique values, and a long row that waits itself`() throws {
    let swap = #"{"id": "a", "code": "B"}, {"id": "b", "code": "A"}, {"id": "c", "code": "Z"}"#
    try expectSame(
      #"[{"id": 1, "hall": {"seats": [\#(swap)]}}, {"id": 2, "hall": {"seats": [\#(Self.seats)]}}]"#)
    try expectSame(
      """
      [{"id": 1, "title": {"en": "two"}, "hall": {"seats": [\(Self.seats)]}},
       {"id": 2, "title": {"en": "old"}, "hall": {"seats": [{"id": "z", "price": 1}]}}]
      """)
    try expectSame(
      #"[{"id": 1, "title": {"en": "two"}, "hall": {"seats": [\#(Self.seats)]}}, {"id": 5}]"#)
  }

  @Test func `an array where a dictionary should be, and an object where an array should be`() throws {
    try expectSame(
      #"[{"id": 1, "hall": {"seats": {"id": "a", "price": 1, "sales": []}}, "tags": ["x", "y"]}]"#)
    try expectSame(#"[{"id": 1, "hall": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}, {"id": 6}]"#)
    try expectSame(#"[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17], {"id": 6}]"#)
  }

  @Test func `which list takes a long row`() throws {
    let other = TableMapping("event", constants: ["kind": .text("other")])
    let mapping = ImportMapping(lists: [
      .init(Self.event, rows: "$.rows", where: [RowCondition("unread.kind", in: [.text("a")])]),
      .init(other, rows: "$.rows", where: [RowCondition("tags.x", in: [.integer(1)])]),
    ])
    for kind in ["a", "b"] {
      let row = Self.row.replacing("\"unread\": {", with: "\"unread\": {\"kind\": \"\(kind)\", ")
      try expectSame(#"{"rows": [\#(row), {"id": 9, "unread": {"kind": "a"}}]}"#, mapping)
    }
  }

  @Test func `a long line that is no JSON, and one that is cut off, leave the next lines alone`() throws {
    let line = Self.row.replacing("\n", with: "")
    let lines = ImportMapping(lists: [.init(Self.event, layout: .lines)])
    try expectSame("{\"id\": 3}\n\(line.dropLast(30))\n{\"id\": 4}\n", lines)
    try expectSame("\(line.replacing("\"s30\"", with: "s30"))\n{\"id\": 4}\n", lines)
    try expectSame("\(line.replacing("\"s30\"", with: "\"s\\ud800\""))\n{\"id\": 4}\n", lines)
  }

  @Test func `a long row with a member twice, a text that is none, or an end too early`() throws {
    try expectSame("[\(Self.row.replacing("\"size\": 3", with: "\"seats\": 3"))]")
    try expectSame("[\(Self.row.replacing("\"red\"", with: "\"\\ud800\"")), {\"id\": 7}]")
    try expectSame("[\(Self.row.dropLast(10))")
  }
}
