import SeedFormat
import SeedPublisher
import Support
import Testing

@testable import SeedPostgres

/// Conclusions from two positions in a database's log.
@Suite struct DatabaseStateTests {
  private func position(
    system: String = "1", database: String = "2", timeline: Int = 1, isStandby: Bool = false,
    start: String = "s",
    snapshot: String = "10:12:11", reached: UInt64 = 100, definitions: String = "d"
  ) throws -> DatabaseState {
    let (floor, ceiling) = (snapshot.split(separator: ":")[0], snapshot.split(separator: ":")[1])
    let state = DatabaseState([
      "system": .string(system), "database": .string(database), "timeline": JSONValue(timeline),
      "standby": .bool(isStandby), "start": .string(isStandby ? "" : start),
      "snapshot": .string(isStandby ? "\(floor):\(floor):" : snapshot),
      "ceiling": .string(String(ceiling)), "reached": .string("\(reached)"),
      "definitions": .string(definitions), "relations": "r",
    ])
    return try #require(state)
  }

  @Test func `a primary continues from its own position, and any difference is a doubt`() throws {
    let older = try position()
    func doubt(_ newer: DatabaseState) -> LogDoubt? {
      #expect(!newer.isBehind(older, replayedBefore: 100))
      return newer.doubt(since: older)
    }
    #expect(doubt(older) == nil)
    #expect(doubt(try position(system: "9")) == .otherDatabase)
    #expect(doubt(try position(database: "9")) == .otherDatabase)
    #expect(doubt(try position(timeline: 2)) == .otherTimeline)
    #expect(doubt(try position(timeline: 0)) == .otherTimeline)
    #expect(doubt(try position(start: "t", reached: 1)) == .otherServer)
    #expect(doubt(try position(isStandby: true)) == .otherServer)
    #expect(doubt(try position(definitions: "e")) == .otherSchema)
  }

  /// A standby, compared with an older position 100 and transactions up to 12.
  struct Standby: CustomTestStringConvertible {
    let testDescription: String
    var system = "1"
    var database = "2"
    var timeline = 1
    var snapshot = "10:12:"
    var replayed: UInt64? = 100
    let isBehind: Bool
  }

  static let standbys = [
    Standby(testDescription: "as far", isBehind: false),
    Standby(testDescription: "further", replayed: 101, isBehind: false),
    Standby(testDescription: "not as far", replayed: 99, isBehind: true),
    Standby(testDescription: "nothing replayed", replayed: 0, isBehind: true),
    Standby(testDescription: "cannot say how far", replayed: nil, isBehind: true),
    Standby(testDescription: "newer transactions alone", snapshot: "12:14:", replayed: 0, isBehind: false),
    Standby(testDescription: "an older one in progress", snapshot: "11:14:", replayed: 0, isBehind: true),
    Standby(
      testDescription: "an older timeline", timeline: 0, snapshot: "12:14:", replayed: 200, isBehind: true),
    Standby(testDescription: "a newer timeline", timeline: 2, replayed: 0, isBehind: false),
    Standby(testDescription: "another cluster", system: "9", replayed: 0, isBehind: false),
    Standby(testDescription: "another database", database: "9", replayed: 0, isBehind: false),
  ]

  @Test(arguments: standbys)
  func `a standby is complete if it replayed far enough or no older transaction is in progress`(
    _ standby: Standby
  ) throws {
    let newer = try position(
      system: standby.system, database: standby.database, timeline: standby.timeline, isStandby: true,
      snapshot: standby.snapshot)
    for isStandby in [false, true] {
      let older = try position(isStandby: isStandby)
      #expect(newer.isBehind(older, replayedBefore: standby.replayed) == standby.isBehind)
    }
  }

  @Test func `all that changes rows without a write changes the digest, other than temporary objects`()
    throws
  {
    let scene = try PostgresScene(
      """
      CREATE TABLE t(id int); CREATE TABLE pair(a int, b int); CREATE TABLE pairs(id int, all_of pair[]);
      CREATE VIEW v AS SELECT id, id + 1 AS next FROM t; CREATE SCHEMA one; CREATE VIEW one.v AS SELECT id FROM t;
      CREATE TABLE hidden(id int); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
      """, "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    let (reader, group) = ("reads_\(scene.database.name)", "group_\(scene.database.name)")
    try scene.database.run(
      "CREATE ROLE \(reader) LOGIN; CREATE ROLE \(group); CREATE POLICY p ON hidden TO \(group) USING (true)")
    let place = scene.database.place(user: reader)
    let connection = try PostgresConnection(place)
    func digest() throws -> String {
      try connection.begin()
      return try #require(try DatabaseState(connection)).definitions
    }
    var last = try digest()
    for sql in [
      "ALTER VIEW v RENAME TO w", "ALTER VIEW w RENAME COLUMN next TO later",
      "ALTER SCHEMA one RENAME TO two", "ALTER TABLE pair RENAME COLUMN a TO c",
      "ALTER TABLE hidden FORCE ROW LEVEL SECURITY", "CREATE POLICY q ON hidden USING (id > 0)",
      "GRANT \(group) TO \(reader)",
      "ALTER ROLE \(reader) BYPASSRLS", "ALTER TABLE hidden OWNER TO \(reader)",
      "ALTER VIEW w OWNER TO \(reader)", "CREATE TABLE heir() INHERITS (t)", "DROP TABLE heir",
    ] {
      try scene.database.run(sql)
      let next = try digest()
      #expect(next != last, "\(sql)")
      last = next
    }
    let other = try scene.database.writer()
    try other.write(
      """
      CREATE TABLE u(id int); CREATE TEMP TABLE heir() INHERITS (t); CREATE TEMP TABLE x(whole t);
      CREATE TEMP VIEW y AS SELECT * FROM t; CREATE TYPE pg_temp.z AS (q int);

      """)
    try waitUntil("they are made", every: 0.01) {
      try scene.database.run("SELECT count(*) FROM pg_class WHERE relname = 'z'") == "1\n"
    }
    #expect(try digest() == last)
    #expect(try other.finish())
  }

  @Test func `a position is read back equal and an invalid snapshot is rejected`() throws {
    let read = try position()
    #expect(DatabaseState(try JSONValue(parsing: read.json.bytes)) == read)
    #expect(LogSnapshot("10:12") == nil && LogSnapshot("x:12:") == nil)
  }
}
