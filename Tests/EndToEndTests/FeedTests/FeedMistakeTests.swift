import Foundation
import SeedFormat
import Support
import Testing

/// A broken feed is reported with its place, and its last version stays published.
@Suite struct FeedMistakeTests {
  static let mistakes: [(name: String, file: String, text: String, message: String)] = [
    (
      "too few fields", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,x,,\nB\n",
      "/stops.txt:3: the record has 1 field, but the header has 4"
    ),
    (
      "too many fields behind a line break", "stops.txt",
      "stop_id,stop_name,stop_lat,zone\nA,\"x\ny\",,\nB,y,,,z\n",
      "/stops.txt:4: the record has 5 fields, but the header has 4"
    ),
    (
      "no number", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,x,1,\nB,y,north,\n",
      "/stops.txt:3: column \"stop_lat\": expected a number, found \"north\""
    ),
    (
      "a key twice", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,x,,\nB,y,,\nA,z,,\n",
      "two rows have the key stop_id = A, at FEED/stops.txt:2 and FEED/stops.txt:4"
    ),
    (
      "no key", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,x,,\n,y,,\n",
      "/stops.txt:3: table \"stops\": the key column \"stop_id\" is empty"
    ),
    (
      "a key twice beside a column \"rowid\"", "stops.txt",
      "rowid,stop_id,stop_name,stop_lat,zone\n9,A,x,,\n8,B,y,,\n7,A,z,,\n",
      "two rows have the key stop_id = A, at FEED/stops.txt:2 and FEED/stops.txt:4"
    ),
    (
      "no key beside a column \"rowid\"", "stops.txt",
      "rowid,stop_id,stop_name,stop_lat,zone\n9,A,x,,\nx,,y,,\n",
      "/stops.txt:3: table \"stops\": the key column \"stop_id\" is empty"
    ),
    (
      "a name twice", "stops.txt", "stop_id,stop_name,Stop_Name\nA,x,y\n",
      "the header has the name \"Stop_Name\" twice"
    ),
    ("a name twice, once after a space", "stops.txt", "stop_id,stop_name, stop_name\nA,x,x\n", "twice"),
    ("a column that is needed", "stops.txt", "stop_id,name\nA,x\n", "the header has no field \"stop_name\""),
    (
      "a quotation mark", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,\"x\n",
      "a quotation mark that is never closed"
    ),
    ("an empty file", "stops.txt", "", "the CSV has no header"),
    (
      "a NUL", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA,x,,\nB,a\u{0}b,,\n",
      "FEED/stops.txt:3: column \"stop_name\": a string with a NUL character: remove it"
    ),
    (
      "a NUL in a key", "stops.txt", "stop_id,stop_name,stop_lat,zone\nA\u{0},x,,\n",
      "FEED/stops.txt:2: column \"stop_id\": a string with a NUL"
    ),
    (
      "UTF-16 without a mark", "stops.txt", "s\u{0}t\u{0}o\u{0}p\u{0}_\u{0}i\u{0}d\u{0}\n\u{0}",
      "the header's field 1 has a NUL character"
    ),
    ("a doubled file", "stops.csv", "stop_id,stop_name\nA,x\n", "the table \"stops\" has several files"),
  ]

  @Test func `each mistake is reported with its place, and the published version stays`() throws {
    let feed = try FeedDeployment()
    try feed.regenerate()
    for mistake in Self.mistakes {
      try feed.write(FeedDeployment.stops, "stops.txt")
      try feed.write(mistake.text, mistake.file)
      let message = try feed.refusal().replacing(feed.folder("feed"), with: "FEED")
      #expect(message.lowercased().contains(mistake.message.lowercased()), "\(mistake.name): \(message)")
      #expect(try feed.version == 1, "\(mistake.name)")
    }
    try feed.remove("stops.csv")
    #expect(try feed.refusal() == "published")
    #expect(try feed.version == 1)
  }

  @Test func `broken JSON and two files for one table are reported`() throws {
    let feed = try FeedDeployment()
    try feed.configure(#", "tables": {"stops": "more.json"}"#)
    try feed.write("[{\"stop_id\":\"A\", \"stop_name\": \"x\"},{]", "more.json")
    #expect(try feed.refusal().contains("more.json and"))
    try feed.remove("stops.txt")
    #expect(try feed.refusal().contains("more.json, byte"))
    try feed.write(
      #"[{"stop_id": "A", "stop_name": "x"}, {"stop_id": "B", "stop_name": "a\u0000b"}]"#, "more.json")
    #expect(
      try feed.refusal().contains(#"more.json, row 2, byte 37: column "stop_name": a string with a NUL"#))
    try feed.write("[{\"stop_id\":\"A\"},7]", "more.json")
    #expect(try feed.refusal().contains("more.json, row 2, byte 17: expected an object, found 7"))
    try feed.write(
      #"[{"stop_id": "A", "stop_name": "x"}, {"stop_id": "B", "stop_name": "y", " STOP_NAME": null}]"#,
      "more.json")
    #expect(
      try feed.refusal().contains(
        #"more.json, row 2, byte 37: column "stop_name": several members"#))
    try feed.write(
      #"[{"stop_id": "A", "stop_name": "x", "stop_lat": 1, "zone": 2}, {"STOP_ID": "B", "Stop_Name": "y"}]"#,
      "more.json")
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT stop_id, stop_name FROM stops ORDER BY 1") == ["A|x", "B|y"])
  }

  @Test func `columns that differ in the case of a letter beyond ASCII are two, as in SQLite`() throws {
    let feed = try FeedDeployment(
      "CREATE TABLE stops(stop_id TEXT PRIMARY KEY NOT NULL, \"Ä\" TEXT, \"ä\" TEXT)")
    try feed.write("STOP_ID,ä,Ä\nA,small,large\n", "stops.txt")
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT stop_id, \"Ä\", \"ä\" FROM stops") == ["A|large|small"])
    try feed.write("stop_id,Ä\nA,large\n", "stops.txt")
    #expect(try feed.refusal().contains("the header has no field \"ä\""))
  }

  @Test func `bytes that are not UTF-8 are reported with their line and iconv as the remedy`() throws {
    let feed = try FeedDeployment()
    let latin: [UInt8] = Array("zone,stop_lat,stop_id,stop_name\n,,A,Caf".utf8) + [0xE9, 0x0A]
    try feed.write(latin, "stops.txt")
    let refusal = try feed.refusal()
    #expect(refusal.contains("/stops.txt:2: column \"stop_name\": a field that is not valid UTF-8: convert"))
    #expect(refusal.contains("iconv"))
  }

  @Test func `a missing file deletes no rows unless it is optional, and a file without rows deletes all`()
    throws
  {
    let feed = try FeedDeployment()
    try feed.regenerate()
    let stops = try feed.rows(FeedDeployment.allStops)
    try feed.configure(#", "tables": {"stops": "more.csv"}"#)
    #expect(try feed.refusal().contains("has no file for the table \"stops\" (more.csv)"))
    try feed.configure("")
    try Tool.run(["mv", feed.folder("feed/stops.txt"), feed.folder("away.txt")])
    #expect(try feed.refusal().contains("has no file for the table \"stops\""))
    try Tool.run(["mv", feed.folder("feed"), feed.folder("away")])
    #expect(try feed.refusal().contains("There is no feed at"))
    try Tool.run(["mv", feed.folder("away"), feed.folder("feed")])
    #expect(try feed.rows(FeedDeployment.allStops) == stops && !stops.isEmpty)
    try feed.configure(#", "tables": {"stops": {"optional": true}}"#)
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops).isEmpty)
    try Tool.run(["mv", feed.folder("away.txt"), feed.folder("feed/stops.txt")])
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops) == stops)
    try feed.write("stop_id,stop_name,stop_lat,zone\n", "stops.txt")
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows(FeedDeployment.allStops).isEmpty)
  }

  @Test func `a feed's size limit counts unchanged files and expanded bytes`() throws {
    let feed = try FeedDeployment()
    try feed.regenerate()
    // The files have 60 and 42 bytes.
    try feed.configure(#", "maximumBytes": 80"#)
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    #expect(try feed.refusal().contains("has more than 80 bytes"))
    // The table's other file is not read.
    try feed.configure(#", "maximumBytes": 80, "tables": {"stops": "stops*"}"#)
    try Tool.run(["mv", feed.folder("feed/stops.txt"), feed.folder("feed/stops-1.txt")])
    try feed.write("broken", "stops-2.txt")
    #expect(try feed.refusal().contains("80 bytes at \(feed.folder("feed/stops-1.txt")):"))
    try feed.remove("stops-1.txt")
    try feed.remove("stops-2.txt")
    try feed.configure(#", "maximumBytes": 100000"#)
    try feed.write(
      "zone,stop_lat,stop_id,stop_name\n"
        + String(repeating: ",,A,\(String(repeating: "x", count: 90))\n", count: 3000),
      "stops.csv")
    try Tool.run(["gzip", feed.folder("feed/stops.csv")])
    #expect(try feed.refusal().contains("has more than 100000 bytes"))
    try Tool.run(["truncate", "-s", "100", feed.folder("feed/stops.csv.gz")])
    #expect(try feed.refusal().contains("stops.csv.gz: the compressed content ends too early"))
  }

  @Test func `a damaged staging database is rebuilt`() throws {
    let feed = try FeedDeployment()
    try feed.regenerate()
    try feed.folder.write("rubbish", to: "seedbank/state/feeds/my/staging.sqlite")
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    #expect(try feed.refusal() == "published")
    #expect(try feed.rows("SELECT count(*) FROM stops") == ["3"])
  }

  @Test func `invalid tables in the configuration are rejected, and so is a log`() throws {
    let feed = try FeedDeployment()
    let log = try feed.folder.seedbank("origin", "log", "setup")
    #expect(log.errors.contains("the origin is a feed, which needs no log"))
    try feed.configure(#", "tables": {"stops": 3}"#)
    #expect(try feed.regenerate().errors.contains("origin.tables.stops: expected a file's name"))
    try feed.configure(#", "tables": {"stops": {"file": "a.csv", "relations": []}}"#)
    #expect(try feed.regenerate().errors.contains("found \"relations\""))
    for name in ["SQLite_sequence", "seedbank_feed"] {
      try feed.configure(#", "tables": {"\#(name)": "stops.txt"}"#)
      try feed.regenerate().expect(78, "origin.tables.\(name): SQLite or Seedbank has a table of this name")
    }
  }
}
