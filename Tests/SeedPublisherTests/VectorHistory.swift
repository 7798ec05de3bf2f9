import SeedDatabase
import SeedFormat
import SeedPublication
import SeedTrust
import Support

@testable import SeedPublisher

/// Five versions of a small series as text, for tests of other clients. Its rows are hard cases: values that JSON cannot
/// hold, rows that SQL considers equal, keys in another order than the columns, swapped unique values, and a search table
/// over a generated column. The last version begins a minor, and changes one table in every way.
struct VectorHistory {
  private let deployment: TestDeployment

  private static let schema = """
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, code TEXT UNIQUE, height REAL,
      photo BLOB, label TEXT AS (code || ' ' || name));
    CREATE TABLE visit(day TEXT NOT NULL, stop INTEGER NOT NULL REFERENCES stop(id), number INTEGER, extra,
      PRIMARY KEY(stop, day)) WITHOUT ROWID;
    CREATE TABLE word(language TEXT NOT NULL, text TEXT NOT NULL COLLATE NOCASE, weight, PRIMARY KEY(text, language));
    CREATE VIRTUAL TABLE stop_search USING fts5(name, label, content=stop, content_rowid=id)
    """

  private static let minor = """
    \(schema
      .replacing("(code || ' ' || name)", with: "(code || ' ' || name), opened TEXT DEFAULT 'unknown', lines INTEGER")
      .replacing("extra,", with: "extra, note TEXT DEFAULT 'none',")
      .replacing("weight,", with: "weight, plural TEXT,"));
    CREATE TABLE zone(name TEXT PRIMARY KEY NOT NULL, fare REAL) WITHOUT ROWID;
    CREATE TABLE track(id INTEGER PRIMARY KEY, length REAL);
    CREATE INDEX visit_number ON visit(number)
    """

  /// Questions whose answers change with the versions.
  private static let searches = ["grüße", "label: b", "zoo"]

  /// The origin's first rows, and the changes of each later version.
  private static let steps = [
    """
    CREATE TABLE stop(id, name, code, height, photo); CREATE TABLE visit(day, stop, number, extra);
    CREATE TABLE word(language, text, weight);
    INSERT INTO word VALUES ('de', 'halt', 1), ('en', 'halt', 0.0), ('de', 'zug', 1), ('de', 'Zoo', NULL);
    INSERT INTO stop VALUES (1, 'Alexanderplatz', 'A', 52.5, NULL), (2, 'Berlin "Hbf"', 'B', 1, x'00ff10'),
      (3, 'Zoo', 'C', NULL, x'');
    INSERT INTO visit VALUES ('2026-08-01', 1, 9007199254740993, '1'), ('2026-08-01', 2, 0, 1.0),
      ('2026-07-31', 2, -1, NULL)
    """,
    """
    UPDATE stop SET name = 'alexanderplatz' WHERE id = 1; INSERT INTO stop VALUES (4, 'Grüße 🚉', NULL, 9e999, NULL);
    DELETE FROM visit WHERE stop = 2 AND day = '2026-07-31'; UPDATE word SET text = 'Halt' WHERE text = 'halt' AND language = 'de'
    """,
    """
    UPDATE stop SET code = NULL WHERE id = 1; UPDATE stop SET code = 'A' WHERE id = 2;
    UPDATE stop SET code = 'B' WHERE id = 1; DELETE FROM stop WHERE id = 3; UPDATE word SET weight = -0.0 WHERE language = 'en'
    """,
    """
    UPDATE visit SET extra = 1 WHERE stop = 2;
    UPDATE visit SET extra = x'7b7d', number = -9223372036854775808 WHERE stop = 1;
    INSERT INTO visit VALUES ('2026-08-02', 4, NULL, 'a line' || char(10, 9, 0, 1) || '\\');
    INSERT INTO stop VALUES (3, 'Ost', 'C', NULL, NULL)
    """,
    """
    ALTER TABLE stop ADD COLUMN opened DEFAULT 'unknown'; UPDATE stop SET opened = '1882' WHERE id = 1;
    ALTER TABLE stop ADD COLUMN lines; UPDATE stop SET lines = 9007199254740993 WHERE id = 4;
    UPDATE stop SET name = 'Berlin Zoo', opened = '2006' WHERE id = 2; DELETE FROM stop WHERE id = 3;
    INSERT INTO stop VALUES (5, 'West', 'C', -1.5, NULL, '1877', 2); ALTER TABLE visit ADD COLUMN note DEFAULT 'none';
    ALTER TABLE word ADD COLUMN plural; UPDATE word SET plural = iif(text = 'zug', 'Züge', text || 's') WHERE text <> 'Halt';
    CREATE TABLE zone(name, fare); INSERT INTO zone VALUES ('A', 3.8); CREATE TABLE track(id, length)
    """,
  ]

  /// Replaces the snapshot's random epoch.
  private static let epoch = "0123456789abcdef"

  init() throws {
    deployment = try TestDeployment(
      [model("1.0", Self.schema)], dataset: "places", in: try TemporaryFolder(inMemory: true))
    for (place, sql) in Self.steps.enumerated() {
      if place == Self.steps.count - 1 { try beginMinor() }
      try deployment.change(sql)
    }
  }

  private func beginMinor() throws {
    try deployment.use([model("1.0", Self.schema), model("1.1", Self.minor)])
  }

  /// The vectors by file name.
  func files() throws -> [String: String] {
    let metadata = try deployment.metadata()
    var files = [
      "states.json": try states(SeriesRecall(deployment.publication, metadata)),
      "delta-1-3.json": try merged(metadata.objects.filter { $0.span.map { $0.to.number <= 3 } ?? false }),
    ]
    for object in metadata.objects {
      if case .delta = object.kind {
        let name = object.fileName.replacing(".gz", with: "")
        files[name] = String(decoding: try deployment.publication.delta(object), as: UTF8.self)
      } else if object.version == .first {
        files["snapshot-\(object.version).sql"] = try dump(object)
      }
    }
    return files
  }

  /// Consecutive deltas in one, as the publisher merges them after sixteen versions.
  private func merged(_ deltas: [PublishedObject]) throws -> String {
    let documents = deltas.map { delta in { try deployment.publication.pieces(delta) } }
    var merged = DeltaWriter()
    let header = try DeltaMerge(schema: SchemaReader.schema(of: Self.schema))
      .run(documents, from: .first, into: &merged)
    return String(decoding: merged.document(header), as: UTF8.self)
  }

  // MARK: The snapshot as SQL

  private func dump(_ snapshot: PublishedObject) throws -> String {
    let file = try Connection(try deployment.expand(snapshot, to: "snapshot.sqlite"), .writer)
    try file.execute("UPDATE seedbank_meta SET value = '\(Self.epoch)' WHERE key = 'epoch'")
    let marks = try ["application_id", "user_version"].map {
      "PRAGMA \($0) = \(try file.integer("PRAGMA \($0)") ?? 0);\n"
    }
    let tables = try file.rows(
      """
      SELECT s.name, s.sql, l.type FROM sqlite_schema AS s JOIN pragma_table_list AS l USING(name)
      WHERE l.type IN ('table', 'virtual') AND name NOT LIKE 'sqlite%' ORDER BY name
      """)
    return try marks.joined()
      + tables.map {
        "\n\($0[1].text);\n" + (try content($0[0].text, isSearch: $0[2].text == "virtual", file))
      }
      .joined()
  }

  private func content(_ table: String, isSearch: Bool, _ file: Connection) throws -> String {
    try isSearch ? "INSERT INTO \(table)(\(table)) VALUES ('rebuild');\n" : inserts(table, file)
  }

  private func inserts(_ table: String, _ file: Connection) throws -> String {
    let columns = try file.rows("SELECT name FROM pragma_table_info(?)", .text(table)).map {
      quoted($0[0].text)
    }
    let values = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
    let head = "INSERT INTO \(quoted(table))(\(columns.joined(separator: ", "))) VALUES ("
    return try file.rows("SELECT ?1 || \(values) || ');' FROM \(quoted(table)) ORDER BY 1", .text(head))
      .map { $0[0].text + "\n" }.joined()
  }

  // MARK: The state of each version

  private func states(_ recall: SeriesRecall) throws -> String {
    "[\n" + (try recall.versions.map { try state($0, recall) }.joined(separator: ",\n")) + "\n]\n"
  }

  private func state(_ version: SeedVersion, _ recall: SeriesRecall) throws -> String {
    let copy = try recall.recall(version, to: deployment.folder("recalled.sqlite"))
    let sums = try SeedTables.sums(copy.connection)
    let tables = try copy.schema.tables.map { table in
      let sum = sums[table.name] ?? TableSum()
      return #"  {"name":"\#(table.name)","rows":\#(sum.rows),"sum":"\#(lowerHex(sum.bytes))","content":["#
        + (try rows(table, copy.connection)) + "\n  ]}"
    }
    let userVersion = try copy.connection.integer("PRAGMA user_version") ?? 0
    return #" {"user_version":\#(userVersion),"meta":\#(try meta(copy.connection)),"#
      + #""searches":{\#(try searches(copy.connection))},"tables":["# + "\n"
      + tables.joined(separator: ",\n") + "\n ]}"
  }

  private func meta(_ connection: Connection) throws -> String {
    let rows = try connection.rows(
      "SELECT key, iif(key = 'epoch', ?, value) FROM seedbank_meta ORDER BY key", .text(Self.epoch))
    return JSONValue.object(rows.map { JSONMember($0[0].text, .string($0[1].text)) }).text
  }

  private func searches(_ connection: Connection) throws -> String {
    try Self.searches.map { words in
      let found = try connection.rows(
        "SELECT rowid FROM stop_search WHERE stop_search MATCH ? ORDER BY rowid", .text(words))
      return #""\#(words)":["# + found.map { $0[0].json.text }.joined(separator: ",") + "]"
    }.joined(separator: ",")
  }

  private func rows(_ table: TableSchema, _ connection: Connection) throws -> String {
    let (columns, key) = (table.columnNames.map(quoted), table.keyNames.map(quoted))
    return try connection.rows(
      "SELECT \(columns.joined(separator: ", ")) FROM \(quoted(table.name)) ORDER BY \(key.joined(separator: ", "))"
    ).map { "\n   " + JSONValue.array($0.map(\.json)).text }.joined(separator: ",")
  }
}
