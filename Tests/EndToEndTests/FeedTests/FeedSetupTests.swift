import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct FeedSetupTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func write(_ text: String, _ name: String) throws {
    let path = folder(name)
    try Folder.create(Folder.parent(of: path))
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func schema(_ origin: String) throws -> String {
    try folder.succeed("init", origin, "--dataset", "data", "-d", "bank")
    defer { try? Folder.removeAll(folder("bank")) }
    return try folder.text("bank/data/models/1.0/schema.sql")
  }

  /// Reads files that changed a moment ago.
  private func regenerate(_ dataset: String) throws -> ProgramOutcome {
    try folder.seedbank(
      "regenerate", environment: ["SEEDBANK_DATASETS_\(dataset)_ORIGIN_SETTLE_SECONDS": "0"])
  }

  @Test
  func `a transit feed gets the keys and types of its specification, whatever its values, and is published`()
    throws
  {
    try write(
      "stop_id,stop_name,stop_lat,stop_lon,stop_code,location_type\n101,7,52,13,12,\n102,8,53,14,13,\n",
      "gtfs/stops.txt")
    try write("route_id,route_short_name,route_color,route_type\n1,7,112233,3\n", "gtfs/routes.txt")
    try write("route_id,trip_id,direction_id,block_id\n1,T1,0,5\n1,T2,0,5\n", "gtfs/trips.txt")
    try write(
      "trip_id,arrival_time,stop_id,stop_sequence\nT1,8:00:00,101,1\nT1,8:05:00,102,2\nT2,9:00:00,101,1\n",
      "gtfs/stop_times.txt")
    try write("from_stop_id,to_stop_id,transfer_type\n101,102,0\n101,102,1\n", "gtfs/transfers.txt")
    try Tool.run(["zip", "-rq", "gtfs.zip", "gtfs"], in: folder.path)
    for origin in ["gtfs", "gtfs.zip"] {
      let sql = try schema(origin)
      for words in [
        "PRIMARY KEY (\"trip_id\", \"stop_sequence\")\n) WITHOUT ROWID;",
        #"PRIMARY KEY ("from_stop_id", "to_stop_id", "transfer_type")"#,
        #""stop_id" TEXT NOT NULL"#, #""stop_name" TEXT"#, #""stop_code" TEXT"#, #""stop_lat" REAL"#,
        #""location_type" INTEGER"#, #""route_short_name" TEXT"#, #""route_color" TEXT"#,
        #""route_type" INTEGER"#,
        #""direction_id" INTEGER"#, #""block_id" TEXT"#,
      ] { #expect(sql.contains(words), "\(words) in \(sql)") }
    }
    try folder.succeed("init", "gtfs.zip")
    try regenerate("GTFS").expect(0)
    let rows = try Tool.sqlite(folder("seedbank/state/gtfs-1.sqlite"), "SELECT count(*) FROM stop_times")
    #expect(rows == "3\n")
    #expect(try folder.succeed("config", "check").contains("nothing is wrong"))
    let known = try regenerate("GTFS").expect(0)
    #expect(!known.errors.contains("has gained"), "\(known.errors)")
  }

  @Test func `types fit all values, and the key is the first unique column`() throws {
    try write(
      """
      kind,number,zero,big,sum,mixed,none,code
      a,-1,0,9007199254740993,1.50,1,,x1
      a,2,0,12345678901234567890,2,x,,x2
      b,3,-0,1,-.5,,,x3

      """, "one.csv")
    let sql = try schema("one.csv")
    for column in [
      #""kind" TEXT"#, #""number" INTEGER PRIMARY KEY"#, #""zero" TEXT"#, #""big" TEXT"#, #""sum" TEXT"#,
      #""mixed" TEXT"#, #""none" TEXT"#,
    ] { #expect(sql.contains(column), "\(column) in \(sql)") }
    try write("a,b\n1,1\n1,2\n2,1\n", "two.csv")
    #expect(try schema("two.csv").contains(#"PRIMARY KEY ("a", "b")"#))
    try write("a,b\n1,1\n1,1\n", "none.csv")
    #expect(try schema("none.csv").contains(#""row_number" INTEGER PRIMARY KEY"#))
    try write("id,name\n", "empty.csv")
    let empty = try schema("empty.csv")
    #expect(empty.contains(#""id" TEXT NOT NULL"#) && empty.contains(#"PRIMARY KEY ("id")"#), "\(empty)")
  }

  @Test func `JSON values keep their own types`() throws {
    try write(
      #"{"id":1,"n":1.5,"t":"12","yes":true,"o":{"a":[1]}}"# + "\n" + #"{"id":2,"more":3}"# + "\n",
      "items/item.ndjson")
    let sql = try schema("items")
    for column in [
      #""id" INTEGER PRIMARY KEY"#, #""n" REAL"#, #""t" TEXT"#, #""yes" INTEGER"#, #""o" TEXT"#,
      #""more" INTEGER"#,
    ] { #expect(sql.contains(column), "\(column) in \(sql)") }
  }

  @Test func `a symbolic link to a folder of files is a feed`() throws {
    try write("id,name\n1,x\n", "files/items.csv")
    try Tool.run(["ln", "-s", "files", folder("feed")])
    try folder.succeed("init", "feed")
    try regenerate("FEED").expect(0, output: "version 1 created, 1 row")
  }

  @Test func `an empty folder and a broken feed create no deployment`() throws {
    try Folder.create(folder("empty"))
    try write("a,b\n1\n", "broken.csv")
    for (origin, message) in [
      ("empty", "has no file whose name ends in"), ("broken.csv", "broken.csv:2: the record has 1 field"),
    ] {
      let outcome = try folder.seedbank("init", origin)
      #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }
    #expect(!folder.exists("seedbank"))
  }

  @Test func `prose files are skipped and reported, and the other files are published`() throws {
    try write("id,name\n1,x\n", "feed/items.csv")
    try write("This is free.\nDo what you like, but name us, please.\n", "feed/licence.txt")
    try write("Thank you for the data", "feed/readme.txt")
    try write("{\"made\": \"today\"}", "feed/meta.json")
    try write("word\ntea\n", "feed/words.txt")
    let outcome = try folder.seedbank("init", "feed").expect(0)
    for words in [
      "Skipped file \"licence.txt\"", "Skipped file \"readme.txt\": its first line does not name fields",
      "Skipped file \"meta.json\": it has no list of objects",
    ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
    try regenerate("FEED").expect(0, output: "version 1 created, 2 rows")
  }

  @Test func `other delimiters and nested rows are detected and configured`() throws {
    try write("id;name\n1;Café\n", "feed/shops.csv")
    try folder.write("id\tname\n1\tMa\u{00F1}ana, then\n", to: "feed/tabs.csv")
    try write(
      #"{"meta": {"page": 1}, "data": {"items": [{"id": 1, "n": 2.5}, {"id": 2, "n": 1}]}}"#,
      "feed/items.json")
    let outcome = try folder.seedbank("init", "feed").expect(0)
    for words in [
      "shops.csv is read with the delimiter ;",
      "tabs.csv is read with the delimiter tab", "items.json: its rows are in $.data.items",
    ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
    try regenerate("FEED").expect(0, output: "version 1 created, 4 rows")
    let copy = folder("seedbank/state/feed-1.sqlite")
    #expect(
      try Tool.sqlite(copy, "SELECT name FROM shops UNION ALL SELECT name FROM tabs")
        == "Café\nMañana, then\n")
    try write(#"{"data": {"items": [{"id": 3, "n": 1, "more": true}]}}"#, "feed/items.json")
    try write("id;n\n1;2\n", "feed/more.csv")
    try folder.seedbank("model", "new").expect(
      0, output: #"add "more": {"csv":{"delimiter":";"}} to origin.tables"#)
  }
}
