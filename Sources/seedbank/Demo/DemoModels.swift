import SeedFormat

/// The demo's models: two majors, and a minor that adds to the second.
enum DemoModels {
  static let all = [
    ModelDraft(version: "1.0", schemaSQL: first, projections: ["station": stations, "route": routes]),
    ModelDraft(version: "2.0", schemaSQL: second),
    ModelDraft(version: "2.1", schemaSQL: secondAddition, projections: ["stop_time": stopTimes]),
  ]

  /// Fewer columns under other names than the origin's, so that each table needs a SELECT.
  private static let first = """
    -- Model 1.0: what apps of the first generation open. They know stations and routes, no timetable.

    CREATE TABLE station(
      id TEXT PRIMARY KEY NOT NULL,
      title TEXT NOT NULL,
      lat REAL NOT NULL,
      lon REAL NOT NULL
    );

    CREATE TABLE route(
      id INTEGER PRIMARY KEY,
      label TEXT NOT NULL
    );

    """

  private static let stations = """
    SELECT id, name AS title, latitude AS lat, longitude AS lon FROM stop

    """

  private static let routes = """
    SELECT id, name || ' (' || kind || ')' AS label FROM line

    """

  private static let second = """
    -- Model 2.0: stops, lines and the timetable. Times are seconds since the day's first midnight.

    CREATE TABLE stop(
      id TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      zone TEXT NOT NULL
    );

    CREATE TABLE line(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      color TEXT NOT NULL
    );

    CREATE TABLE trip(
      id INTEGER PRIMARY KEY,
      line_id INTEGER NOT NULL REFERENCES line(id),
      headsign TEXT NOT NULL,
      direction INTEGER NOT NULL
    );

    CREATE TABLE stop_time(
      trip_id INTEGER NOT NULL REFERENCES trip(id),
      position INTEGER NOT NULL,
      stop_id TEXT NOT NULL REFERENCES stop(id),
      arrival INTEGER NOT NULL,
      departure INTEGER NOT NULL,
      PRIMARY KEY(trip_id, position)
    );

    CREATE INDEX stop_time_by_stop ON stop_time(stop_id);

    """

  private static let secondAddition = """
    -- Model 2.1: as 2.0, with what the second generation's apps learned to show since: step-free access,
    -- operators, remarks, dwell times, notices and a board of departures. A minor only adds.

    CREATE TABLE stop(
      id TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      zone TEXT NOT NULL,
      step_free INTEGER
    );

    CREATE TABLE line(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      color TEXT NOT NULL,
      operator TEXT
    );

    CREATE TABLE trip(
      id INTEGER PRIMARY KEY,
      line_id INTEGER NOT NULL REFERENCES line(id),
      headsign TEXT NOT NULL,
      direction INTEGER NOT NULL,
      remark TEXT
    );

    CREATE TABLE stop_time(
      trip_id INTEGER NOT NULL REFERENCES trip(id),
      position INTEGER NOT NULL,
      stop_id TEXT NOT NULL REFERENCES stop(id),
      arrival INTEGER NOT NULL,
      departure INTEGER NOT NULL,
      dwell INTEGER,
      PRIMARY KEY(trip_id, position)
    );

    CREATE TABLE notice(
      id INTEGER PRIMARY KEY,
      line_id INTEGER NOT NULL REFERENCES line(id),
      text TEXT NOT NULL
    );

    CREATE INDEX stop_time_by_stop ON stop_time(stop_id);
    CREATE INDEX stop_by_name ON stop(name COLLATE NOCASE);

    CREATE VIEW departure_board AS
      SELECT stop_time.stop_id, stop_time.departure, line.name AS line, trip.headsign
      FROM stop_time JOIN trip ON trip.id = stop_time.trip_id JOIN line ON line.id = trip.line_id;

    """

  /// The origin has no column for the dwell time.
  private static let stopTimes = """
    SELECT trip_id, position, stop_id, arrival, departure, departure - arrival AS dwell FROM stop_time

    """
}
