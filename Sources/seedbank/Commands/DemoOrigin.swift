import SeedDatabase
import SeedFormat

/// Invents transit data with the size and shape of a large city's. The number of trips determines the rows.
enum DemoOrigin {
  static let fileName = "transit.sqlite"
  static let stops = 13_000
  static let callsPerTrip = 20
  static let usualTrips = 10_000
  static let tripCounts = 1...1_000_000
  private static let lines = 250

  static func write(trips: Int, to path: String) throws {
    let connection = try Connection(path, .creator)
    try connection.execute(String(decoding: PackageResources.origin_sql, as: UTF8.self))
    try connection.transaction { try connection.execute(stopRows + lineRows + tripRows(trips)) }
  }

  private static func numbers(_ range: ClosedRange<Int>) -> String {
    "WITH RECURSIVE n(i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(range.upperBound))"
  }

  /// The rows of stops, with names like Berlin's and coordinates in its bounding box.
  private static let stopRows = """
    \(numbers(0...stops - 1)), r AS (
      SELECT i, (i + 7) * 2654435761 >> 9 AS a, (i + 7) * 2246822519 >> 9 AS b, (i + 7) * 3266489917 >> 9 AS c FROM n)
    INSERT INTO stop SELECT \(stopID("i")),
      iif(c % 20 = 0, 'U ', '')
        || (json_array('Ahorn', 'Amsel', 'Birken', 'Blumen', 'Brunnen', 'Buchen', 'Dahlien', 'Drossel', 'Eichen',
          'Falken', 'Finken', 'Garten', 'Hafen', 'Heide', 'Insel', 'Kirsch', 'Lerchen', 'Linden', 'Mühlen', 'Quell',
          'Rosen', 'Schwanen', 'Tannen', 'Weiden') ->> (a % 24))
        || (json_array('allee', 'brücke', 'damm', 'hof', 'markt', 'park', 'platz', 'ring', 'straße', 'tor', 'ufer',
          'weg') ->> (b % 12))
        || iif(c % 3 = 0, json_array(' (Nord)', ' (Süd)', ' (Ost)', ' (West)', ' (Mitte)') ->> (c % 5), ''),
      52.338 + a % 337000 / 1e6, 13.088 + b % 673000 / 1e6,
      iif(a % 337000 BETWEEN 122000 AND 222000 AND b % 673000 BETWEEN 202000 AND 422000, 'A', 'B'),
      iif(c % 10 = 0, NULL, a % 2) FROM r;

    """

  private static let lineRows = """
    \(numbers(1...lines))
    INSERT INTO line SELECT i,
      CASE WHEN i <= 16 THEN 'S' || i WHEN i <= 26 THEN 'U' || (i - 16) WHEN i <= 50 THEN 'M' || (i - 26) ELSE 50 + i END,
      CASE WHEN i <= 16 THEN 'suburban' WHEN i <= 26 THEN 'underground' WHEN i <= 50 THEN 'tram' ELSE 'bus' END,
      CASE WHEN i <= 16 THEN '#008D4F' WHEN i <= 26 THEN '#115D91' WHEN i <= 50 THEN '#BE1414' ELSE '#A5027D' END,
      iif(i <= 16, 'Demobahn', 'Demo-Verkehrsbetriebe') FROM n;
    INSERT INTO notice SELECT rowid, 1 + rowid % \(lines), 'Kein Halt: ' || name FROM stop WHERE rowid <= 20;

    """

  /// The rows of trips. A trip's stops are `step` apart, which is coprime to `stops`, so none recurs.
  private static func tripRows(_ trips: Int) -> String {
    """
    CREATE TEMP TABLE made AS \(numbers(1...trips)), r AS (
      SELECT i, (i * 2654435761 >> 9) % \(lines) AS line, i * 2246822519 >> 9 AS a FROM n)
    SELECT i AS id, line + 1 AS line, a % 2 AS direction, line * 977 % \(stops) AS start,
      1 + 130 * (line * 37 % 100) AS step, 14400 + a / 2 % 1200 * 60 AS clock FROM r;
    INSERT INTO trip SELECT made.id, line, name, direction, NULL FROM made
      JOIN stop ON stop.id = \(stopID("start + iif(direction = 0, \(callsPerTrip - 1), 0) * step"));
    \(numbers(0...callsPerTrip - 1)), r AS (
      SELECT id, i, \(stopID("start + iif(direction = 0, i, \(callsPerTrip - 1) - i) * step")) AS stop,
        clock + i * 140 + ((id * 131 + i) * 2654435761 >> 11) % 5 * 30 AS arrival FROM made CROSS JOIN n)
    INSERT INTO stop_time SELECT id, i + 1, stop, arrival, arrival + 20 FROM r ORDER BY id, i;
    DROP TABLE made;
    """
  }

  private static func stopID(_ number: String) -> String {
    "printf('de:11000:9%06d', (\(number)) % \(stops))"
  }

  /// The changes of a trip by their description. Each statement takes the trip's id.
  private static let edits = [
    "is 2 min late from its stop 6 on": [
      "UPDATE stop_time SET arrival = arrival + 120, departure = departure + 120 WHERE trip_id = ? AND position > 5"
    ],
    "calls at a renamed stop": [
      """
      UPDATE stop SET name = (SELECT name FROM stop ORDER BY random() LIMIT 1)
      WHERE id = (SELECT stop_id FROM stop_time WHERE trip_id = ? ORDER BY random() LIMIT 1)
      """
    ],
    "runs a second time, 10 min later": [
      """
      INSERT INTO trip SELECT (SELECT max(id) + 1 FROM trip), line_id, headsign, direction, 'Zusatzfahrt' FROM trip
      WHERE id = ?
      """,
      """
      INSERT INTO stop_time SELECT (SELECT max(id) FROM trip), position, stop_id, arrival + 600, departure + 600
      FROM stop_time WHERE trip_id = ?
      """,
    ],
    "was cancelled": ["DELETE FROM stop_time WHERE trip_id = ?", "DELETE FROM trip WHERE id = ?"],
  ]

  static func change(_ path: String) throws -> String {
    let connection = try Connection(path, .writer)
    return try connection.transaction {
      let row = try connection.integer("SELECT id FROM trip ORDER BY random() LIMIT 1")
      guard let trip = row, let (words, statements) = edits.randomElement() else { return "No trip is left." }
      let headsign =
        try connection.value("SELECT headsign FROM trip WHERE id = ?", .integer(trip))?.text ?? ""
      for sql in statements { try connection.execute(sql, .integer(trip)) }
      return "Trip \(trip) to \(headsign) \(words)."
    }
  }
}
