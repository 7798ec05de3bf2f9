// SeedPublisher: makes and signs the publication. Data goes one way through its folders, as values:
//
//   Origin/ (projected rows) → Diff/ (delta, working copy) → Snapshot/ (files) → Publish/ (signed)
//
// Folders, lowest first: Model, Origin, Origin/SQLite, Origin/Feed, Diff, Snapshot, Publish, Inspect, Keys, Setup,
// API.
//
// The folders after Publish/ and the files beside the folders are for the operator's work around it: reports
// on a publication, files and changes of keys, a new deployment, a new model, the reasons for a step to fail,
// and programs that read notices of steps.
//
// Rules of this module:
// - Only Publish/ uses all folders below it.
// - The publication is the truth. A working copy that lags catches up like a client, one that disagrees is rebuilt
//   from the publication, and one that is ahead is an error.
// - Everything is checked before it is published, written durably, and named by its hash; `timestamp.json` is last.
// - Only here, in the command and in tests are signing keys used. Nothing here answers a request.
// - Configuration, terminal and exit codes belong to the command. They come as values and closures; a request that
//   cannot be met throws a ``Refusal``.
