import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

/// `init` with a feed.
@Suite(.bounded) struct FeedSetupTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func write(_ text: String, _ name: String) throws {
    let path = folder(name)
    try Folder.create(Folder.parent(of: path))
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func schema(_ origin: String) throws -> String {
    try SeedbankBinary.succeed(["init", origin, "--dataset", "data", "-d", "bank"], in: folder.path)
    defer { try? Folder.removeAll(folder("bank")) }
    return try String(contentsOfFile: folder("bank/data/models/1.0/schema.sql"), encoding: .utf8)
  }

  @Test func `a transit feed gets its usual keys, names stay texts, and the first run publishes it`() throws {
    try write("stop_id,stop_name,stop_lat,stop_code\n101,Zoo,52.500,007\n102,Bay,52,008\n", "gtfs/stops.txt")
    try write("route_id,route_type\n1,3\n", "gtfs/routes.txt")
    try write("route_id,trip_id\n1,T1\n1,T2\n", "gtfs/trips.txt")
    try write(
      "trip_id,arrival_time,stop_id,stop_sequence\nT1,8:00:00,101,1\nT1,8:05:00,102,2\nT2,9:00:00,101,1\n",
      "gtfs/stop_times.txt")
    try write("from_stop_id,to_stop_id,transfer_type\n101,102,0\n101,102,1\n", "gtfs/transfers.txt")
    try Tool.run(["zip", "-rq", "gtfs.zip", "gtfs"], in: folder.path)
    for origin in ["gtfs", "gtfs.zip"] {
      let sql = try schema(origin)
      #expect(sql.contains(#"PRIMARY KEY ("trip_id", "stop_sequence")"#), "\(sql)")
      #expect(sql.contains(#""stop_id" TEXT NOT NULL"#), "\(sql)")
      #expect(sql.contains(#""stop_lat" REAL"#) && sql.contains(#""stop_code" TEXT"#), "\(sql)")
      #expect(sql.contains(#"PRIMARY KEY ("from_stop_id", "to_stop_id", "transfer_type")"#), "\(sql)")
      #expect(sql.contains(#""route_type" INTEGER"#), "\(sql)")
    }
    try SeedbankBinary.succeed(["init", "gtfs.zip"], in: folder.path)
    try SeedbankBinary.succeed(["regenerate"], in: folder.path)
    let rows = try Tool.sqlite(folder("seedbank/state/gtfs-1.sqlite"), "SELECT count(*) FROM stop_times")
    #expect(rows == "3\n")
    #expect(try SeedbankBinary.succeed(["config", "check"], in: folder.path).contains("nothing is wrong"))
    let known = try SeedbankBinary.run(["regenerate"], in: folder.path)
    #expect(!known.errors.contains("has gained"), "\(known.errors)")
  }

  @Test func `types are told from all values, and the key is the first column that tells all rows apart`()
    throws
  {
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
    #expect(try schema("none.csv").contains("row_number INTEGER PRIMARY KEY"))
  }

  @Test func `values of JSON have types of their own`() throws {
    try write(
      #"{"id":1,"n":1.5,"t":"12","yes":true,"o":{"a":[1]}}"# + "\n" + #"{"id":2,"more":3}"# + "\n",
      "items/item.ndjson")
    let sql = try schema("items")
    for column in [
      #""id" INTEGER PRIMARY KEY"#, #""n" REAL"#, #""t" TEXT"#, #""yes" INTEGER"#, #""o" TEXT"#,
      #""more" INTEGER"#,
    ] { #expect(sql.contains(column), "\(column) in \(sql)") }
  }

  @Test func `a file with a header alone is an empty table`() throws {
    try write("id,name\n", "shops.csv")
    let sql = try schema("shops.csv")
    #expect(sql.contains(#""id" TEXT NOT NULL"#) && sql.contains(#"PRIMARY KEY ("id")"#), "\(sql)")
  }

  @Test func `a folder without files, and a feed that is broken, make nothing`() throws {
    try Folder.create(folder("empty"))
    try write("a,b\n1\n", "broken.csv")
    for (origin, message) in [
      ("empty", "has no file whose name ends in"), ("broken.csv", "broken.csv:2: a record of 1 field"),
    ] {
      let outcome = try SeedbankBinary.run(["init", origin], in: folder.path)
      #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }
    #expect(!Folder.exists(folder("seedbank")))
  }
}
