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
