// SeedPublisher: makes and signs the publication. A step reads an origin and publishes its changes as a new version.
// seedbank.docc/seedbank.md explains series, head, floor, hold and epoch. Data goes one way through the folders:
//
//   Origin/ (projected rows) → Diff/ (delta, working copy) → Snapshot/ (files) → Publish/ (signed)
//
// Folders, lowest first: Model, Origin, Origin/SQLite, Origin/Feed, Diff, Snapshot, Publish, Inspect, Keys, Setup,
// API.
//
// Inspect, Keys, Setup and the files beside the folders (API) serve the operator. They verify a publication,
// change keys, set up deployments and models, explain why steps would fail, and run programs after steps.
//
// Rules of this module:
// - Only Publish/ uses all folders below it.
// - The publication is the source of truth. A working copy that lags catches up like a client. One that disagrees is
//   rebuilt from the publication, and one that is ahead is an error.
// - Everything is checked, and written durably. Objects are named by their hash, and `timestamp.json` is written last.
// - Only this module, the command and tests use signing keys. This module answers no HTTP requests.
// - The command reads the configuration, writes to the terminal and sets the exit code. It passes values and closures
//   to this module, which throws a ``Refusal`` if it cannot do what the operator asks.
