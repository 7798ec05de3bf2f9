import Foundation
import SeedFormat
import Support
import Testing

/// Types of columns in SELECTs over a feed, and missing columns.
@Suite struct FeedTypeTests {
  private static let items = "id,n,code\n1,10,007\n2,7,x\n3,3,9\n"

  /// A feed with one file, and a model with a SELECT over it.
  private func feed(_ schema: String, _ select: (table: String, sql: String), _ members: String = "") throws
    -> FeedDeployment
  {
    let feed = try FeedDeployment(schema)
    for name in ["stops.txt", "stop_times.txt"] { try feed.remove(name) }
    try feed.write(Self.items, "item.csv")
    try feed.configure(members)
    try feed.folder.write(select.sql, to: "seedbank/my/models/1.0/\(select.table).sql")
    return feed
  }

  @Test func `a SELECT compares numbers if the model has a table of the file's name`() throws {
    let feed = try feed(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, n INTEGER, code TEXT)",
      ("item", "SELECT id, n, code FROM main.item WHERE n > 5 AND n < 20"))
    // No model has this table, although its name is a part of a word.
    try feed.write("id\n\"1\n", "it.csv")
    #expect(try feed.refusal() == "published")
    #expect(
      try feed.rows("SELECT id, n, typeof(n), code FROM item ORDER BY id") == [
        "1|10|integer|007", "2|7|integer|x",
      ])
  }

  @Test func `a SELECT may not read a column until the model or the configuration gives its type`() throws {
    let feed = try feed(
      "CREATE TABLE big(id INTEGER PRIMARY KEY, n INTEGER)", ("big", "SELECT id, n FROM item WHERE n > 5"))
    let message = try feed.refusal()
    #expect(
      message.contains("big.sql reads columns of the table \"item\" that have no type")
        && message.contains(#"add this to "item" in origin.tables: "types": {"id":"INTEGER","n":"INTEGER"}"#),
      "\(message)")
    #expect(try feed.regenerate().status == 78)
    try feed.folder.seedbank("config", "check").expect(
      78, output: "reads columns of the table")
    try feed.configure(#", "tables": {"item": {"types": {"id": "INTEGER", "n": "INTEGER"}}}"#)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT * FROM big ORDER BY id") == ["1|10", "2|7"])
  }

  @Test(arguments: ["JOIN number USING (n)", "NATURAL JOIN number"])
  func `a SELECT may not join tables by a column that has no type`(_ join: String) throws {
    let feed = try feed(
      "CREATE TABLE big(id INTEGER PRIMARY KEY, label TEXT)", ("big", "SELECT id, label FROM item \(join)"),
      #", "tables": {"item": {"types": {"id": "INTEGER"}}, "number": {"types": {"label": "TEXT"}}}"#)
    try feed.write("n,label\n10.0,ten\n", "number.csv")
    let message = try feed.refusal()
    #expect(message.contains(#"add this to "item" in origin.tables: "types": {"n":"INTEGER"}"#), "\(message)")
    try feed.folder.edit("seedbank/my/dataset.json") {
      $0.replacing("\"types\": {", with: "\"types\": {\"n\": \"REAL\", ")
    }
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT * FROM big") == ["1|ten"])
  }

  @Test func `a text that does not fit its type is rejected in the file or in the SELECT's result`() throws {
    let feed = try feed(
      "CREATE TABLE big(id INTEGER PRIMARY KEY, n INTEGER)", ("big", "SELECT id, code AS n FROM item"),
      #", "tables": {"item": {"types": {"id": "INTEGER", "code": "TEXT"}}}"#)
    let message = try feed.refusal()
    #expect(
      message.contains(
        "table \"big\": the column \"n\" holds a string, but clients read it as INTEGER: cast it in")
        && message.contains("1 row (id = 2)"), "\(message)")
    try feed.configure(#", "tables": {"item": {"types": {"id": "INTEGER", "code": "INTEGER"}}}"#)
    #expect(try feed.refusal().contains("item.csv:3: column \"code\": expected a whole number"))
    #expect(try feed.version == 0)
    try feed.configure(#", "tables": {"item": {"types": {"id": "NUMBER"}}}"#)
    let mistake = try feed.regenerate().errors
    #expect(
      mistake.contains(#"origin.tables.item.types.id: expected "INTEGER", "REAL" or "TEXT", found "NUMBER""#),
      "\(mistake)")
  }

  @Test func `a missing column is rejected unless it is optional`() throws {
    let feed = try FeedDeployment()
    #expect(try feed.refusal() == "published")
    try feed.write("stop_id,stop_name,stop_lat\nA,Zoo,1.5\nB,Bay,\n", "stops.txt")
    let message = try feed.refusal()
    #expect(
      message.contains(
        "stops.txt: line 1, byte 0: the header has no field \"zone\", which the models read: bring it")
        && message.contains(#"add "optionalColumns": ["zone"] to "stops" in origin.tables"#), "\(message)")
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
    try feed.remove("stops.txt")
    try feed.write(
      #"[{"stop_id": "A", "stop_name": "Zoo", "zone": 7}, {"stop_id": "B", "stop_name": "Bay"}]"#,
      "stops.json")
    #expect(try feed.refusal().contains("stops.json: no row has a member \"stop_lat\""))
    try feed.configure(#", "tables": {"stops": {"optionalColumns": ["stop_lat"]}}"#)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo||7", "B|Bay||"])
  }

  /// Documents of 200 stops: complete, with a renamed column, and with the new name beside the empty old column.
  private static func stops(isJSON: Bool) -> (name: String, whole: String, renamed: String, emptied: String) {
    func document(_ header: String, _ csv: String, _ json: String) -> String {
      (1...200).map { isJSON ? #"{"stop_id": "\#($0)", "stop_name": "Zoo", \#(json)}"# : "\($0),Zoo,\(csv)" }
        .reduce(isJSON ? "" : "stop_id,stop_name,\(header)\n") { $0 + $1 + "\n" }
    }
    return (
      isJSON ? "stops.ndjson" : "stops.txt",
      document("stop_lat,zone", "1.5,7", #""stop_lat": 1.5, "zone": 7"#),
      document("stop_lat,zone_id", "1.5,7", #""stop_lat": 1.5, "zone_id": 7"#),
      document("stop_lat,zone,zone_id", "1.5,,7", #""stop_lat": 1.5, "zone": null, "zone_id": 7"#)
    )
  }

  private static let noZones = #"column "zone" of table "stops" would go from 200 to 0 values"#

  @Test(arguments: [false, true])
  func `a renamed column keeps its published values`(_ isJSON: Bool) throws {
    let (feed, stops) = (try FeedDeployment(), Self.stops(isJSON: isJSON))
    try feed.remove("stops.txt")
    try feed.write(stops.whole, stops.name)
    #expect(try feed.refusal() == "published")
    try feed.write(stops.renamed, stops.name)
    let refusal = try feed.refusal()
    #expect(
      refusal.contains(#""zone", which the models read (renamed to "zone_id"?): bring it back"#), "\(refusal)"
    )
    try feed.write(stops.emptied, stops.name)
    let held = try feed.regenerate()
    let errors = held.errors.replacing(#"\""#, with: "\"")
    #expect(held.status == 65 && errors.contains(Self.noZones), "\(held)")
    #expect(errors.contains(#"The origin has gained the column "stops"."zone_id"."#), "\(held)")
    let status = try feed.folder.seedbank("status")
    #expect(status.output.contains(Self.noZones), "\(status)")
    #expect(try (feed.version, feed.rows("SELECT count(zone) FROM stops")) == (1, ["200"]))
    #expect(try feed.regenerate("--accept-shrink").status == 0)
    #expect(try (feed.version, feed.rows("SELECT count(zone) FROM stops")) == (2, ["0"]))
  }

  @Test func `a missing column in double quotes is an error, not a text literal`() throws {
    let feed = try feed(
      "CREATE TABLE big(id INTEGER PRIMARY KEY, n INTEGER, code TEXT)",
      ("big", #"SELECT "id" AS id, "n" AS n, "code" AS code FROM item"#),
      #", "tables": {"item": {"types": {"id": "INTEGER", "n": "INTEGER", "code": "TEXT", "label": "TEXT"}}}"#)
    #expect(try feed.refusal() == "published")
    try feed.write(Self.items.replacing("code", with: "label"), "item.csv")
    let message = try feed.refusal()
    #expect(message.contains("big.sql") && message.contains("no such column: code"), "\(message)")
    #expect(try feed.rows("SELECT code FROM big ORDER BY id") == ["007", "x", "9"])
  }

  @Test func `columns with a name of the rowid are published with their own values`() throws {
    let feed = try FeedDeployment(
      "CREATE TABLE stops(stop_id TEXT PRIMARY KEY NOT NULL, rowid INTEGER, oid TEXT); CREATE TABLE stop_times(_rowid_ TEXT PRIMARY KEY NOT NULL)"
    )
    try feed.write("_rowid_\nx\n", "stop_times.txt")
    for rows in ["A,7,x\nB,7,y\n", "B,7,z\nA,8,x\n"] {
      try feed.write("stop_id,rowid,oid\n\(rows)", "stops.txt")
      #expect(try feed.refusal() == "published")
    }
    #expect(try feed.rows("SELECT stop_id, rowid, oid FROM stops ORDER BY 1") == ["A|8|x", "B|7|z"])
    #expect(try feed.rows("SELECT _rowid_ FROM stop_times") == ["x"])
    try feed.folder.succeed("verify")
  }

  @Test func `an optional column may lose its values, and optionalColumns must be an array`() throws {
    let (feed, stops) = (try FeedDeployment(), Self.stops(isJSON: false))
    try feed.write(stops.whole, stops.name)
    try feed.configure(#", "tables": {"stops": {"optionalColumns": ["Zone"]}}"#)
    #expect(try feed.refusal() == "published")
    try feed.write(stops.renamed, stops.name)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT count(zone) FROM stops") == ["0"])
    try feed.configure(#", "tables": {"stops": {"optionalColumns": "zone"}}"#)
    try feed.regenerate().expect(78, "origin.tables.stops.optionalColumns: expected an array, found a string")
  }

  @Test func `CSV settings of one file keep the settings for all files that they do not override`() throws {
    let feed = try FeedDeployment(
      "CREATE TABLE stops(stop_id TEXT PRIMARY KEY NOT NULL, name TEXT); CREATE TABLE stop_times(trip_id TEXT, stop_sequence INTEGER PRIMARY KEY)"
    )
    try feed.remove("stops.txt")
    try feed.write("stop_id\tname\nA\t\"\"\nB\t\n", "stops.tsv")
    try feed.configure(#", "empty": "null", "tables": {"stops": {"csv": {"delimiter": "tab"}}}"#)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT typeof(name) FROM stops ORDER BY stop_id") == ["null", "null"])
    try feed.configure(#", "empty": "null", "tables": {"stops": {"csv": {"empty": "text"}}}"#)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT typeof(name) FROM stops ORDER BY stop_id") == ["text", "text"])
    let shown = try feed.folder.succeed("config", "show")
    #expect(shown.contains("text"), "\(shown)")
  }
}
