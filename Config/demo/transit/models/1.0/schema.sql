-- Model 1.0, for apps of the first generation: stations and routes, but no timetable.

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
