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
  PRIMARY KEY(trip_id, position)
);
CREATE INDEX stop_time_by_stop ON stop_time(stop_id);
CREATE TABLE notice(
  id INTEGER PRIMARY KEY,
  line_id INTEGER NOT NULL REFERENCES line(id),
  text TEXT NOT NULL
);
