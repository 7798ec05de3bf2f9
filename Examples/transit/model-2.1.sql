-- Model 2.1: adds step-free access, operators, remarks, dwell times, notices and a departure board to 2.0, for newer apps
-- of the second generation. A minor version may only add to the schema.

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
