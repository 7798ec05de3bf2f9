// SeedServer: the part that an operator runs. Data goes one way through its rooms, each handing the next a value:
//
//   Origin/ (projected rows) → Diff/ (delta, working copy) → Snapshot/ (files) → Publish/ (signed) → Front/
//
// Rooms, from the ground up: Words, Log, Schedule, Model, Store, Follow, Mirror, Facts, Verdict, Origin, Origin/SQLite, Origin/Feed, Diff, Snapshot,
// Publish, Inspect, Front/Catalog, Front/Metrics, Front/Page, Front.
//
// Rules of this module:
// - Publish/ alone walks through all rooms below it.
// - The publication is the truth. A working copy that lags behind it catches up as any client would, one that
//   disagrees with it is made anew from it, one that is ahead of it is an error.
// - What is published was checked first, is written durably, and is named by its hash; `timestamp.json` comes last.
// - Mirror/ copies what is published to other places: its timestamp last, and never over what another publisher put there.
// - The front reads published files only. It holds no key and never maps a request's path to a file's path.
