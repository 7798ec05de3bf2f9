import Foundation
import SeedFormat
import Support
import Testing

/// Several files, folders and pages as one import, run with the real command. Whole feeds and many pages are in
/// ``ImportArticleTests``.
@Suite struct ImportFeedTests {
  private let folder: ImportFolder

  init() throws { folder = try ImportFolder("\(Self.schema) CREATE TABLE item(id INTEGER PRIMARY KEY);") }

  private func run(_ arguments: String...) throws -> ProgramOutcome { try folder.run(arguments) }

  // MARK: A feed of CSV files

  static let schema = """
    CREATE TABLE agency(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL);
    CREATE TABLE route(id TEXT PRIMARY KEY NOT NULL, agency TEXT REFERENCES agency(id), short TEXT);
    CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT, lat REAL, lon REAL, parent TEXT REFERENCES stop(id));
    CREATE TABLE trip(id TEXT PRIMARY KEY NOT NULL, route TEXT NOT NULL REFERENCES route(id));
    CREATE TABLE stop_time(trip TEXT NOT NULL REFERENCES trip(id), seq INTEGER NOT NULL, stop TEXT NOT NULL
      REFERENCES stop(id), at TEXT, PRIMARY KEY (trip, seq)) WITHOUT ROWID;
    """

  static let mapping = """
    {"lists": [
      {"file": "agency.txt", "layout": "csv", "table": "agency",
       "columns": {"id": "agency_id", "name": "agency_name"}},
      {"file": "routes.txt", "layout": "csv", "table": "route",
       "columns": {"id": "route_id", "agency": "agency_id", "short": "route_short_name"}},
      {"file": "stops.txt", "layout": "csv", "table": "stop",
       "columns": {"id": "stop_id", "name": "stop_name", "lat": "stop_lat", "lon": "stop_lon",
         "parent": "parent_station"}},
      {"file": "trips.txt", "layout": "csv", "table": "trip", "columns": {"id": "trip_id", "route": "route_id"}},
      {"file": "stop_times*.txt", "layout": "csv", "table": "stop_time",
       "columns": {"trip": "trip_id", "seq": "stop_sequence", "stop": "stop_id", "at": "arrival_time"}},
      {"file": "shapes.txt", "layout": "csv", "table": "stop", "optional": true}]}
    """

  private func writeFeed() throws {
    try folder.write(Self.mapping, "map.json")
    try folder.write("agency_id,agency_name\nA,\"The \"\"A\"\"\"\n", "feed/agency.txt")
    try folder.write("route_id,agency_id,route_short_name\nR,A,7\n", "feed/routes.txt")
    try folder.write(
      "stop_id,stop_name,stop_lat,stop_lon,parent_station\ns2,Two,1.5,2,s1\ns1,\"One, North\",1,2,\n",
      "feed/stops.txt")
    try folder.write("trip_id,route_id\nT,R\n", "feed/trips.txt")
    try folder.write("trip_id,arrival_time,stop_id,stop_sequence\nT,08:00:00,s1,1\n", "feed/stop_times_1.txt")
    try folder.write("trip_id,arrival_time,stop_id,stop_sequence\nT,08:05:00,s2,2\n", "feed/stop_times_2.txt")
    try folder.write("all rights reserved", "feed/LICENSE.txt")
  }

  @Test func `an unnamed file in a linked folder is skipped, and one given directly is rejected`() throws {
    try writeFeed()
    try folder.write("x\n1\n", "feed/extra.csv")
    try Tool.run(["ln", "-s", "feed", folder("link")])
    try run("link", "--mapping", "map.json").expect(0)
    try run("feed", "feed/extra.csv", "--mapping", "map.json").expect(65, "is not one of the mapping's files")
  }

  @Test func `a format applies to all lists of a mapping, and a missing file is reported once`() throws {
    let lists = #"{"file": "a.dat", "table": "agency"}, {"file": "b.dat", "table": "route"}"#
    try folder.write("{\"lists\": [\(lists)]}", "map.json")
    try folder.write("id;name\n1;A\n", "a.dat")
    try folder.write("id;short\n2;B\n", "b.dat")
    try run("a.dat", "b.dat", "--mapping", "map.json", "--format", "csv", "--delimiter", ";").expect(0)
    #expect(try folder.rows("SELECT id, short FROM route") == ["2|B"])
    let missing = try run("a.dat", "--mapping", "none.json")
    #expect(missing.errors.hasSuffix("none.json: expected this file, found none.\n"), "\(missing.errors)")
    #expect(missing.errors.components(separatedBy: "none.json").count == 2)
  }

  @Test func `a feed with a missing file changes nothing and names the file`() throws {
    try writeFeed()
    try FileManager.default.removeItem(atPath: folder("feed/trips.txt"))
    try run("feed", "--mapping", "map.json").expect(65, "the import lacks the document trips.txt")
    #expect(try folder.rows("SELECT count(*) FROM stop") == ["0"])
  }

  @Test func `an issue names its file and the row in it`() throws {
    try writeFeed()
    try folder.write(
      "trip_id,arrival_time,stop_id,stop_sequence\nT,08:05:00,s2,2\nT,1,s2,x\n", "feed/stop_times_2.txt")
    let outcome = try run("feed", "--mapping", "map.json", "--bad-rows", "skip", "--json")
    let issue = try JSONValue(parsing: Array(outcome.output.utf8))["issues"]?.elements?.first
    #expect(issue?["document"]?.string?.hasSuffix("feed/stop_times_2.txt") == true, "\(outcome.errors)")
    #expect(issue?["row"] == 2 && issue?["line"] == 3)
  }

  // MARK: Pages

  @Test(arguments: [
    ("all.json", #"{"items": [{"id": 1}]}{"items": []} {"items": [{"id": 2}, {"id": 3}]}"#),
    ("all.ndjson", "{\"items\": [{\"id\": 1}]}\n{\"items\": [{\"id\": 2}, {\"id\": 3}]}\n{\"items\": []}\n"),
  ])
  func `consecutive documents are read like the first`(name: String, text: String) throws {
    try folder.write(#"{"table": "item", "rows": "$.items"}"#, "map.json")
    try folder.write(text, name)
    try run(name, "--mapping", "map.json").expect(0)
    #expect(try folder.rows("SELECT id FROM item") == ["1", "2", "3"])
  }

  @Test func `rows that meet no condition are counted and reported`() throws {
    try folder.write(#"{"table": "item", "where": {"knd": "a"}}"#, "map.json")
    try folder.write(#"[{"id": 1, "kind": "a"}, {"id": 2, "kind": "a"}]"#, "1.json")
    let outcome = try run("1.json", "--mapping", "map.json", "--json")
    #expect(try JSONValue(parsing: Array(outcome.output.utf8))["unmatchedRows"] == 2)
    let told = try run("1.json", "--mapping", "map.json")
    #expect(told.errors.contains("2 rows matched no list's 'where', and were skipped"), "\(told.errors)")
    try folder.write(#"[{"id": 1}]"#, "2.json")
    let one = try run("2.json", "--mapping", "map.json")
    #expect(one.errors.contains("1 row matched no list's 'where', and was skipped"), "\(one.errors)")
  }

  @Test func `lines that are arrays of rows are documents of JSON, not rows`() throws {
    try folder.write("[{\"id\": 1}, {\"id\": 2}]\n[]\n\n[{\"id\": 4}]", "all.ndjson")
    let lines = try run("all.ndjson", "--table", "item")
    #expect(lines.errors.contains("expected an object, found [{"), "\(lines.errors)")
    #expect(try run("all.ndjson", "--table", "item", "--format", "json").status == 0)
    #expect(try folder.rows("SELECT id FROM item") == ["1", "2", "4"])
  }

  @Test func `a page without rows, or a truncated one, ends the import with its name`() throws {
    try folder.write(#"{"table": "item", "rows": "$.items"}"#, "map.json")
    try folder.write(#"{"items": [{"id": 1}]}"#, "1.json")
    for (text, message) in [
      (#"{"error": "busy"}"#, "2.json: the document has nothing at $.items"),
      (#"{"items": [{"id": 2}"#, "2.json: the document ends too early"), ("", "2.json: "),
    ] {
      try folder.write(text, "2.json")
      try run("1.json", "2.json", "--mapping", "map.json").expect(65, message)
      #expect(try folder.rows("SELECT count(*) FROM item") == ["0"])
    }
  }

  @Test func `a missing page fails the import before it starts`() throws {
    try folder.write(#"[{"id": 1}]"#, "1.json")
    try run("1.json", "2.json", "--table", "item").expect(74, "2.json: no such file")
    try FileManager.default.createDirectory(atPath: folder("empty"), withIntermediateDirectories: false)
    try run("empty", "--table", "item").expect(65, "has no file to import")
    try folder.write("id\n2\n", "2.csv")
    try run("1.json", "2.csv", "--table", "item").expect(64, "have different formats")
    #expect(try folder.rows("SELECT count(*) FROM item") == ["0"])
  }
}
