import Foundation
import Support
import Testing

/// Runs the README's commands and program word for word on foreign databases.
@Suite(.serialized, .full) struct OwnDataTests {
  /// Two databases made by the sqlite3 command.
  static let databases = [
    (
      name: "odd shapes",
      sql: """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO shop VALUES (1, 'Tea'), (2, 'Coffee');
      CREATE TABLE "opening hours"("shop id" INTEGER, weekday TEXT, "from" TEXT, photo BLOB,
        PRIMARY KEY("shop id", weekday));
      INSERT INTO "opening hours" VALUES (1, 'Mo', '08:00', x'00ff10'), (1, 'Tu', NULL, x''), (2, 'Mo', '', NULL);
      CREATE TABLE pair(a TEXT, b REAL, PRIMARY KEY(b, a)) WITHOUT ROWID;
      INSERT INTO pair VALUES ('x', 1.5), ('y', 1.5), ('', -0.25);
      CREATE TABLE log(line TEXT);
      INSERT INTO log VALUES ('no key');
      CREATE VIEW "open on Monday" AS SELECT "shop id" FROM "opening hours" WHERE weekday = 'Mo';
      """,
      says: ["log"]
    ),
    (
      name: "a hundred tables",
      sql: "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop VALUES (1, 'Tea');"
        + (1..<100).map { number in
          "CREATE TABLE t\(number)(id INTEGER PRIMARY KEY, v); INSERT INTO t\(number) VALUES (1, \(number)), (2, 'x');"
        }.joined(),
      says: ["100 tables"]
    ),
  ]

  @Test func `an update in the operator's file appears in the running app`() throws {
    let clone = try NewcomersClone()
    for database in Self.databases {
      try Tool.run(["rm", "-f", clone.database])
      try Tool.sqlite(clone.database, database.sql)
      let server = try clone.followReadme()
      for text in database.says {
        #expect(server.output.contains(text), "\(database.name): \(server.output)")
      }
      let line = try #require(server.output.firstMatch(of: #/listening on (http://127\.0\.0\.1:\d+)\n/#))
      try clone.buildApp(for: try #require(URL(string: String(line.1))))
      let app = try clone.startApp()
      try app.waits(for: "Tea")
      #expect(!app.output.contains("Green tea"))
      try Tool.sqlite(clone.database, "UPDATE shop SET name = 'Green tea' WHERE id = 1;")
      try app.waits(for: "Green tea")
      try app.stop()
      try server.stop(toGroup: true)
    }
  }
}
