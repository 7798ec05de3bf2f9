import SeedFormat
import SeedImport
import Support
import Testing

/// Documents with several lists of rows.
@Suite struct ImportListTests {
  private static let schema = """
    CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT);
    CREATE TABLE time(trip INTEGER NOT NULL, place INTEGER NOT NULL, stop TEXT REFERENCES stop(id),
      PRIMARY KEY (trip, place));
    """
  private static let mapping = ImportMapping(lists: [
    .init("stop", rows: "$.stops"), .init("time", rows: "$.trips.stopTimes"),
  ])
  private static let stops = #""stops": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]"#
  private static let times =
    #""x": [{"y": 1, "stops": []}], "s": "[", "trips": {"other": {}, "stopTimes": [{"trip": 1, "place": 1, "stop": "b"}], "z": 0}"#

  @Test(arguments: [3, 7, 1000])
  func `one pass reads several lists, in any order`(pieces: Int) throws {
    for document in ["{\(Self.stops), \(Self.times)}", "{\(Self.times), \(Self.stops)}"] {
      let bench = try ImportBench(Self.schema)
      let report = try bench.run(document, mapping: Self.mapping, pieces: pieces)
      #expect(report.rows == 3)
      #expect(report.bytes == document.utf8.count)
      #expect(try bench.rows("SELECT * FROM stop ORDER BY id") == ["a|A", "b|B"])
      #expect(try bench.rows("SELECT * FROM time") == ["1|1|b"])
    }
  }

  @Test func `a missing list is named, and the import is rolled back`() throws {
    let bench = try ImportBench(Self.schema)
    let failure = bench.failure("{\(Self.stops)}", mapping: Self.mapping)
    #expect(failure?.message.contains("nothing at $.trips.stopTimes") == true)
    #expect(try bench.rows("SELECT * FROM stop") == [])
  }

  @Test func `a reference from one list to a row that no list has fails the import`() throws {
    let bench = try ImportBench(Self.schema)
    let failure = bench.failure("{\"stops\": [], \(Self.times)}", mapping: Self.mapping)
    #expect(failure?.code == .references)
  }

  @Test func `lists of all layouts can be combined, even two of one table`() throws {
    let bench = try ImportBench(Self.schema)
    let mapping = ImportMapping(lists: [
      .init("stop", rows: "named", layout: .dictionary(keyColumn: "id")),
      .init("stop", rows: "main.first", layout: .single), .init("stop", rows: "more"),
    ])
    try bench.run(
      #"{"named": {"a": {"name": "A"}}, "main": {"first": {"id": "b"}}, "more": [{"id": "c"}]}"#,
      mapping: mapping, pieces: 4)
    #expect(try bench.rows("SELECT id FROM stop ORDER BY id") == ["a", "b", "c"])
  }

  @Test func `rejected rows of several lists are reported with their own table and place`() throws {
    let bench = try ImportBench(Self.schema)
    var rejected: [String] = []
    var hooks = ImportHooks()
    hooks.rejected = {
      rejected.append("\($0.issue.table) \($0.list) " + String(decoding: $0.value, as: UTF8.self))
    }
    try bench.collect(
      #"{"stops": [{"id": "a"}, {"id": null}], "trips": {"stopTimes": [{"trip": "x"}]}}"#,
      mapping: Self.mapping, hooks: hooks)
    #expect(rejected == [#"stop 0 {"id":null}"#, #"time 1 {"trip":"x"}"#])
  }
}
