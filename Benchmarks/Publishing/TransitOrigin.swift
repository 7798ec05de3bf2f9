import Foundation

/// An origin with a timetable: stops, trips of 400 lines, and the times of their stops.
///
/// The trips of a line are adjacent and share their stops, as in published timetables. Random times prevent
/// unrealistic compression. A row takes about 58 bytes without rowids.
struct TransitOrigin {
  /// How the tables are stored.
  enum Layout: String, CaseIterable {
    case withoutRowid = "without-rowid"
    case rowid

    var suffix: String { self == .withoutRowid ? " WITHOUT ROWID" : "" }
  }

  let path: String
  private let rows: Int
  private let layout: Layout

  private static let stops = 13_000
  private static let lines = 400
  private static let stopsPerTrip = 25
  private static let changedRows = 1_000

  static let tables = ["stop", "trip", "stop_time"]
  static let index = "CREATE INDEX stop_time_by_stop ON stop_time(stop_id)"

  private var trips: Int { rows / Self.stopsPerTrip }
  private var tripsPerLine: Int { max(1, trips / Self.lines) }

  init(_ folder: String, name: String = "origin", rows: Int, _ layout: Layout) throws {
    path = "\(folder)/\(name).sqlite"
    self.rows = rows
    self.layout = layout
    try Tool.run(
      "sqlite3", [path], input: "PRAGMA synchronous = OFF;\n\(schema)\nBEGIN;\n\(fill)\(Self.index);\nCOMMIT;"
    )
  }

  private init(copied path: String, of other: TransitOrigin) {
    (self.path, rows, layout) = (path, other.rows, other.layout)
  }

  /// A copy of the file.
  func copy(_ path: String) throws -> TransitOrigin {
    try FileManager.default.copyItem(atPath: self.path, toPath: path)
    return TransitOrigin(copied: path, of: self)
  }

  var schema: String {
    """
    CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, lat REAL NOT NULL, lon REAL NOT NULL)\(layout.suffix);
    CREATE TABLE trip(id INTEGER PRIMARY KEY, line TEXT NOT NULL, headsign TEXT NOT NULL);
    CREATE TABLE stop_time(trip_id INTEGER NOT NULL REFERENCES trip(id), position INTEGER NOT NULL,
      stop_id TEXT NOT NULL REFERENCES stop(id), arrival INTEGER NOT NULL, departure INTEGER NOT NULL,
      PRIMARY KEY(trip_id, position))\(layout.suffix);
    """
  }

  var schemaWithIndex: String { "\(schema)\n\(Self.index);" }

  private func counter(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))"
  }

  private var fill: String {
    """
    \(counter(Self.stops)) INSERT INTO stop SELECT printf('de:11000:9%05d', i), 'Stop ' || (i * 7919 % 13007),
      52.0 + (i * 31 % 9999 + 1) / 10000.0, 13.0 + (i * 17 % 9999 + 1) / 10000.0 FROM n;
    \(counter(trips)) INSERT INTO trip SELECT i, 'line ' || (i / \(tripsPerLine)), 'to ' || (i * 131 % 13000) FROM n;
    \(counter(trips * Self.stopsPerTrip)), r AS (SELECT i / \(Self.stopsPerTrip) AS trip, i % \(Self.stopsPerTrip) AS place,
        i / \(Self.stopsPerTrip) / \(tripsPerLine) AS line, (i * 2654435761 >> 7) % 60 AS noise,
        i / \(Self.stopsPerTrip) % \(tripsPerLine) * 600 % 86400 + i % \(Self.stopsPerTrip) * 90 AS minute FROM n)
      INSERT INTO stop_time SELECT trip, place, printf('de:11000:9%05d', (line * 97 + place * (1 + line % 7) * 211) % 13000),
        minute + noise, minute + noise + 20 + noise % 7 * 5 FROM r;

    """
  }

  /// Writes to the file but to no row.
  func touch(_ run: Int) throws { try Tool.run("sqlite3", [path], input: "PRAGMA user_version = \(run);") }

  private static let statements = 5_000
  /// Excludes the disk from the measurement.
  private static let unsynced = "PRAGMA synchronous = OFF;\n"

  /// Updates one row per transaction many times; returns the cost of one.
  func updateOneByOne() throws -> ToolRun {
    let updates = (0..<Self.statements).map {
      "UPDATE stop_time SET departure = departure + 1 WHERE trip_id = \($0 % 1_000) AND position = 1;"
    }
    return try Tool.run("sqlite3", [path], input: Self.unsynced + updates.joined(separator: "\n"))
      .divided(by: Self.statements)
  }

  /// Updates 100,000 rows in one statement.
  func updateMany() throws -> ToolRun {
    try Tool.run(
      "sqlite3", [path],
      input: "\(Self.unsynced)UPDATE stop_time SET departure = departure + 1 WHERE trip_id < 4000;")
  }

  /// Adds a column to the largest table and fills it with numbers that gzip cannot predict.
  func add(column: String) throws -> ToolRun {
    let script = """
      \(Self.unsynced)ALTER TABLE stop_time ADD COLUMN \(column) INTEGER;
      UPDATE stop_time SET \(column) = 1 + (random() & 15);
      """
    return try Tool.run("sqlite3", [path], input: script)
  }

  /// Changes a thousand rows across the largest table; another `run` gives other values.
  func change(_ run: Int) throws { try Tool.run("sqlite3", [path], input: changeSQL(run)) }

  /// SQL of the same change, for any database with these rows.
  func changeSQL(_ run: Int) -> String {
    let step = max(1, trips / Self.changedRows)
    return """
      UPDATE stop_time SET departure = departure + \(run) WHERE position = \(run % Self.stopsPerTrip)
      AND trip_id IN (SELECT id FROM trip WHERE id % \(step) = 0 LIMIT \(Self.changedRows));
      """
  }
}
