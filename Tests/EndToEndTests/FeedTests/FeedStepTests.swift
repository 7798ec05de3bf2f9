import Foundation
import SeedFormat
import Support
import Testing

/// Feeds that are folders, published by the real command.
@Suite struct FeedStepTests {
  let feed: FeedDeployment

  init() throws { feed = try FeedDeployment() }

  private func publish(_ options: String...) throws {
    try SeedbankBinary.run(["regenerate"] + options, in: feed.folder.path).expect(0)
  }

  @Test func `changed files are published, and unchanged files publish nothing`() throws {
    try publish()
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
    try publish()
    try feed.write(FeedDeployment.stops, "stops.txt")
    try publish()
    #expect(try feed.version == 1)
    try feed.write(
      "zone,stop_id,stop_lat,stop_name\n8,A,,Zoo\n,C,,\"Sea, \"\"South\"\"\nside\"\n", "stops.txt")
    try publish()
    #expect(try feed.version == 2)
    #expect(
      try feed.rows("SELECT stop_id, stop_name, stop_lat, zone FROM stops ORDER BY 1") == [
        "A|Zoo||8", "C|Sea, \"South\"", "side||",
      ])
  }

  @Test(.full) func `a file that changes while it is read is not published until it stays unchanged`() throws
  {
    try publish()
    let times = (3...100_000).map { "A,T,\($0)\n" }.joined()
    try feed.write(FeedDeployment.times + times, "stop_times.txt")
    let file = feed.folder("feed/stop_times.txt")
    let isDone = Shared(false)
    let writer = Thread {
      var number = 200_000
      while !isDone.withLock({ $0 }) {
        number += 1
        guard let handle = FileHandle(forWritingAtPath: file) else { return }
        _ = try? handle.seekToEnd()
        try? handle.write(contentsOf: Data("B,T,\(number)\n".utf8))
        try? handle.close()
        usleep(2_000)
      }
    }
    writer.start()
    let refused = try feed.regenerate()
    isDone.withLock { $0 = true }
    try eventually("the writer has ended") { writer.isFinished ? true : nil }
    #expect(refused.status == 69 && refused.errors.contains("it changed while it was read"), "\(refused)")
    #expect(try feed.version == 1)
    try publish()
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
    #expect(try feed.rows("SELECT count(*) FROM stop_times") == ["\(lines - 1)"])
  }

  @Test
  func `JSON, TSV, compressed files, byte order marks, line ends and spaces in headers give the same rows`()
    throws
  {
    try publish()
    for text in [
      "\u{FEFF}" + FeedDeployment.stops.replacing("\n", with: "\r\n\r\n"),
      FeedDeployment.stops.replacing("stop_id,stop_name", with: " Stop_ID, stop_name "),
    ] {
      try feed.write(text, "stops.txt")
      try publish()
    }
    try feed.remove("stops.txt")
    let rows = [
      #"{"stop_id": "A", "stop_name": "Zoo", "stop_lat": 1.5, "zone": 7}"#,
      #"{"zone": null, "stop_name": "Bay", "stop_id": "B"}"#,
    ]
    try feed.write("[\(rows.joined(separator: ","))]", "stops.json")
    try publish()
    try feed.remove("stops.json")
    try feed.write(rows.joined(separator: "\n"), "stops.ndjson")
    try Tool.run(["gzip", feed.folder("feed/stops.ndjson")])
    try publish()
    try feed.remove("stops.ndjson.gz")
    try feed.write("stop_id\tstop_name\tstop_lat\tzone\nA\tZoo\t1.5\t7\nB\tBay\t\t\n", "stops.tsv")
    try publish()
    #expect(try feed.version == 1)
    #expect(try feed.rows(FeedDeployment.allStops) == ["A|Zoo|1.5|7", "B|Bay||"])
  }

  @Test func `the configuration maps other names, several files and nested rows to tables`() throws {
    try feed.configure(
      #", "tables": {"stops": {"file": "page-*.json", "rows": "$.data.items", "optionalColumns": ["stop_lat", "zone"]}, "stop_times": "times.csv"}"#
    )
    try feed.remove("stops.txt")
    try feed.remove("stop_times.txt")
    try feed.write(#"{"data": {"items": [{"stop_id": "A", "stop_name": "Zoo"}]}}"#, "page-1.json")
    try feed.write(#"{"data": {"items": [{"stop_id": "B", "stop_name": "Bay"}]}}"#, "page-2.json")
    try feed.write(#"{"data": {"items": []}}"#, "page-3.json")
    try feed.write(FeedDeployment.times, "times.csv")
    try publish()
    #expect(try feed.rows("SELECT stop_id FROM stops ORDER BY 1") == ["A", "B"])
  }

  @Test func `an empty field gets the model's default, or NULL or an empty text if so configured`()
    throws
  {
    let feed = try FeedDeployment(
      """
      CREATE TABLE stops(stop_id TEXT PRIMARY KEY NOT NULL, name TEXT, kind INTEGER NOT NULL DEFAULT 3, open TEXT NOT NULL DEFAULT "name");
      CREATE TABLE stop_times(trip_id TEXT, stop_sequence INTEGER PRIMARY KEY)
      """)
    try feed.write("stop_id,name,kind\nA,\"\",\nB,,1\n", "stops.txt")
    let tables = #", "tables": {"stops": {"optionalColumns": ["open"]}}"#
    try feed.configure(tables)
    let rows = "SELECT kind, open, typeof(name) FROM stops ORDER BY stop_id"
    try feed.regenerate().expect(0)
    #expect(try feed.rows(rows) == ["3|name|null", "1|name|null"])
    // As if the files were older, so that they need not be read again.
    try Tool.sqlite(
      feed.folder("seedbank/state/feeds/my/staging.sqlite"),
      "UPDATE seedbank_feed SET record = replace(record, '\"isSettled\":false', '\"isSettled\":true')")
    try feed.configure(#", "empty": "quotes""# + tables)
    try feed.regenerate().expect(0)
    #expect(try feed.rows(rows) == ["3|name|text", "1|name|null"])
    #expect(try feed.version == 2)
  }

  @Test(.full) func `a feed is not read until its marker file is newer than all other files`() throws {
    try feed.configure(#", "complete": "DONE", "tables": {"stops": "stops*.txt"}"#)
    try feed.write("stop_id,stop_name,stop_lat,zone\nP,Pier,,\n", "stops-2.txt")
    #expect(try feed.refusal().contains("written: the file DONE, which completes the feed, is missing"))
    try feed.write("", "DONE")
    try publish()
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    try Tool.run(["touch", "-d", "1 hour ago", feed.folder("feed/stops.txt")])
    #expect(try feed.refusal().contains("was added or changed after DONE, which completes the feed"))
    #expect(try feed.version == 1)
    try Tool.run(["touch", feed.folder("feed/DONE")])
    try publish()
    #expect(try feed.version == 2)
    try feed.remove("stops-2.txt")
    #expect(try feed.refusal().contains("files were added or removed after DONE, which completes the feed"))
    #expect(try feed.version == 2)
  }

  @Test func `files that no model wants may have any content, and the same table name`() throws {
    try feed.write("A licence, with commas,\nand lines, some of which, have more, of them.\n", "licence.txt")
    try feed.write("{\"a\": 1}", "meta.json")
    try feed.write("", "empty.txt")
    try feed.write("a,b\n1,2\n", "notes.txt")
    try feed.write("[]", "notes.json")
    try publish()
    #expect(try feed.version == 1)
  }

  @Test func `prose beside the tables is not reported as a new table`() throws {
    try feed.write("Thank you for the data", "readme.txt")
    let lines = String(repeating: "This is free\n", count: 20)
    try feed.write("LICENCE\n\(lines)But name us, please\n", "licence.txt")
    let outcome = try feed.regenerate().expect(0)
    #expect(!outcome.errors.contains("has gained"), "\(outcome)")
  }

  @Test(.full) func `files that changed a moment ago are not read yet`() throws {
    try feed.configure("", settleSeconds: 3600)
    #expect(try feed.refusal().contains("origin.settleSeconds is 3600"))
    #expect(try feed.version == 0)
  }

  @Test func `tables and columns that no model has are reported, and a new model takes them`() throws {
    try feed.write(
      FeedDeployment.stops.replacing("zone\n", with: "zone,phone\n").replacing("7\n", with: "7,12\n")
        .replacing(",,\n", with: ",,,\n"), "stops.txt")
    try feed.write("id,name\n1,x\n", "shops.csv")
    let warning = try feed.regenerate().errors
    #expect(warning.contains("has gained"), "\(warning)")
    #expect(warning.contains("shops") && warning.contains("phone"), "\(warning)")
    try feed.folder.seedbank("model", "new").expect(0)
    try publish()
    #expect(try feed.rows("SELECT stop_id, phone FROM stops ORDER BY 1") == ["A|12", "B|"])
    #expect(try feed.rows("SELECT * FROM shops") == ["1|x"])
  }

  @Test func `a running publisher publishes changed files and reports mistakes in them`() throws {
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: feed.folder.path,
      environment: ["SEEDBANK_DATASETS_MY_SCHEDULE_CHECK_SECONDS": "1"])
    try eventually("the first version") { try feed.version == 1 ? true : nil }
    try feed.write(FeedDeployment.stops + "C,Sea,,\n", "stops.txt")
    try eventually("the next version") { try feed.version == 2 ? true : nil }
    try feed.write("stop_id\nD\n", "stops.txt")
    try eventually("the mistake is told") {
      server.errors.contains("has no field") ? true : nil
    }
    #expect(try feed.version == 2)
    let line = server.errors.split(separator: "\n").first { $0.contains("has no field") }
    #expect(line?.contains(" level=error msg=\"my: ") == true, "each message names its dataset")
    let status = try feed.folder.seedbank("status")
    #expect(status.output.contains("has no field"), "\(status.output)")
  }
}
