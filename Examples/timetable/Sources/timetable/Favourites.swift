import SeedClient

/// The user's favourites in the app's own database, with the seed attached for reading.
actor Favourites {
  private let database: Database
  /// Keeps the attached files alive.
  private var seed: Seed?

  init(_ path: String) throws {
    database = try Database(path)
    try database.run(
      "CREATE TABLE IF NOT EXISTS favourite(stop_id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)")
  }

  /// Attaches a seed and releases the previous one.
  func attach(_ seed: Seed) throws {
    try seed.attach(to: database.handle)
    self.seed = seed
  }

  /// Adds a stop; returns false if there is no such stop.
  func add(stopNamed name: String) throws -> Bool {
    try database.run(
      "INSERT OR REPLACE INTO favourite SELECT id, name FROM seed.stop WHERE name = ? ORDER BY id LIMIT 1",
      name)
    return try !database.rows("SELECT 1 FROM favourite WHERE name = ?", name).isEmpty
  }

  /// A line for each favourite with its next departures. A removed stop stays a favourite.
  func board() throws -> [String] {
    let stops = try database.rows(
      """
      SELECT favourite.stop_id, coalesce(stop.name, favourite.name || ' (not served any more)')
      FROM main.favourite LEFT JOIN seed.stop ON stop.id = favourite.stop_id ORDER BY favourite.name
      """)
    return try stops.map { stop in
      let departures = try database.rows(
        """
        SELECT line || ' ' || headsign || ' ' || time(departure, 'unixepoch')
        FROM seed.departure_board WHERE stop_id = ? ORDER BY departure, line LIMIT 2
        """, stop[0])
      return "\(stop[1]): \(departures.map { $0[0] }.joined(separator: ", "))"
    }
  }
}
