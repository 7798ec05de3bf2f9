// SeedServer: the part that an operator runs. Data goes one way through its rooms, each handing the next a value:
//
//   Origin/ (projected rows) → Diff/ (delta, working copy) → Snapshot/ (files) → Publish/ (signed) → Front/
//
// Rooms, from the ground up: Words, Log, Schedule, Model, Store, Follow, Mirror, Facts, Verdict, Origin, Origin/SQLite, Origin/Feed, Diff, Snapshot,
// Publish, Inspect, Front/Catalog, Front/Metrics, Front/Page, Front.
//
// Rules of this module:
// - Only Publish/ uses all rooms below it.
// - The publication is the truth. A working copy that lags catches up like a client, one that disagrees is rebuilt
//   from the publication, and one that is ahead is an error.
// - Everything is checked before it is published, written durably, and named by its hash; `timestamp.json` is last.
// - Mirror/ copies publications to other places: the timestamp last, and never over another publisher's.
// - The front reads only published files. It has no keys and never maps a request's path to a file's path.
