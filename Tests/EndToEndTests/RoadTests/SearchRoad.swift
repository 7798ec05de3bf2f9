import Foundation
import Support
import Testing

/// A served publication with search tables, and the clients that follow it.
struct SearchRoad {
  let folder: TemporaryFolder
  private let server: RunningSeedbank

  init() throws {
    folder = try TemporaryFolder()
    try Tool.sqlite(folder("my.sqlite"), Self.tables)
    try folder.succeed("init", "my.sqlite")
    // `init` makes an ordinary column of the generated one.
    try Tool.run(
      ["sed", "-i", "s/\"label\" TEXT/& AS (code || ' ' || name)/", "seedbank/my/models/1.0/schema.sql"],
      in: folder.path)
    // The clients' model is not the newest one.
    try Tool.run(["cp", "-r", folder("seedbank/my/models/1.0"), folder("seedbank/my/models/1.1")])
    try folder.edit("seedbank/my/models/1.0/schema.sql") {
      $0.replacing(#/CREATE TABLE "more" [^;]*;/#, with: "")
    }
    try folder.succeed("regenerate")
    server = try RunningSeedbank(["serve", "--port", "0"], in: folder.path)
  }

  /// One search table covers a generated column, the other one a table whose rowids are not data.
  private static let tables = """
    CREATE TABLE place(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT NOT NULL, height REAL, extra,
      label TEXT AS (code || ' ' || name));
    CREATE INDEX place_by_name ON place(name);
    CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL);
    CREATE TABLE more(id INTEGER PRIMARY KEY, n INTEGER);
    CREATE VIRTUAL TABLE place_search USING fts5(name, label, content=place, content_rowid=id);
    CREATE VIRTUAL TABLE note_search USING fts5(body, content=note);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
      INSERT INTO place(id, code, name, height) SELECT i, 'c' || i, 'Anlegestelle ' || i, i / 3.0 FROM n;
    INSERT INTO note VALUES ('first', 'Der Fahrstuhl ist defekt');
    INSERT INTO more VALUES (1, 2);
    """

  /// The last one is a REAL whose digits SQLite 3.40 reads as another one.
  private static let extras = [
    "1", "1.0", "'1'", "NULL", "x'00ff'", "9007199254740993", "9e999", "'Grüße' || char(13, 10) || 'quer'",
    "5e-324", "ieee754_from_blob(x'40422c3ddf628209')",
  ]

  /// Publishes a version: changed, moved, deleted and new rows.
  func publish(_ version: Int) throws {
    let id = version % 40
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      BEGIN;
      UPDATE place SET name = 'Brücke \(version)', height = \(version) / 7.0 WHERE id = \(id);
      UPDATE place SET extra = \(Self.extras[version % Self.extras.count]) WHERE id % 9 = \(version % 9);
      \(version.isMultiple(of: 5) ? "UPDATE place SET code = '~' || id; UPDATE place SET code = 'c' || (id + \(version));" : "")
      DELETE FROM place WHERE id = \((id * 7 + 3) % 40) AND id <> \(id);
      INSERT INTO place(code, name) VALUES ('n\(version)', 'Neue Anlegestelle');
      INSERT OR REPLACE INTO note VALUES ('note \(version % 6)', 'Umleitung über Brücke \(version)');
      COMMIT;
      """)
    try folder.succeed("regenerate")
    try RunningSeedbank.waits(untilServing: folder("seedbank/publication"), at: server.address)
  }

  /// Adds to the origin everything that a minor can add; the next version begins the minor.
  func beginMinor(_ number: Int) throws {
    try Tool.sqlite(
      folder("my.sqlite"),
      """
      ALTER TABLE place ADD COLUMN zone\(number) TEXT DEFAULT 'none';
      UPDATE place SET zone\(number) = 'zone ' || id WHERE id % 3 > 0;
      CREATE TABLE area\(number)(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO area\(number) VALUES (\(number), 'x');
      CREATE INDEX place_by_zone\(number) ON place(zone\(number));
      CREATE VIEW zoned\(number) AS SELECT name FROM place WHERE zone\(number) <> 'none';
      CREATE VIRTUAL TABLE zone_search\(number) USING fts5(zone\(number), content=place, content_rowid=id);
      """)
    try folder.succeed("model", "new")
  }

  /// Begins a new chain of trust, whose root the clients get by their next update, and replaces the keys below it.
  func loseRootKeys() throws {
    try Tool.run(["rm", folder("seedbank/keys/root.key")])
    for arguments in [["root", "--lost", "--yes"], ["timestamp", "snapshot"]] {
      try SeedbankBinary.succeed(["keys", "rotate"] + arguments, in: folder.path)
    }
  }

  /// Empties the files of metadata that a client keeps.
  func emptyMetadata(of client: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder("\(client)/metadata")) {
      try folder.write("", to: "\(client)/metadata/\(name)")
    }
  }

  /// Updates all clients, and returns their files, which deltas change and snapshots replace.
  func follow() throws -> [String] {
    let (root, series) = (folder("seedbank/root.json"), ["my", "1.0"])
    try folder.succeed(
      "pull", server.address, "--dataset", "my", "--model", "1.0", "--store", "pulled", "--root", root)
    try Tool.script("Examples/client.py", [server.address, root] + series + [folder("python")])
    try Tool.node("Examples/client.mjs", [server.address, root] + series + [folder("node")])
    return [try Dump.file(ofStore: folder("pulled"))]
      + ["python", "node"].map {
        URL(filePath: folder("\($0)/current.sqlite")).resolvingSymlinksInPath().path
      }
  }

  /// `doctor`'s last line about a store or a file.
  func verdict(_ path: String) throws -> String {
    let report = try folder.seedbank("doctor", path).output
    return report.split(separator: "\n").last.map(String.init) ?? ""
  }

  /// Results of the search tables.
  func answers(_ file: String) throws -> [String] {
    try [("place", "anlegestelle"), ("place", "brücke"), ("place", "label: n2"), ("note", "brücke")].map {
      table, words in
      try Tool.sqlite(
        file,
        """
        SELECT content.id FROM \(table)_search('\(words)') AS found JOIN \(table) AS content ON content.rowid = found.rowid
          ORDER BY 1;
        """)
    }
  }
}
