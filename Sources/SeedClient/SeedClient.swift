// SeedClient: the library that an app ships.
//
// Rules of this module:
// - One way: Fetch/ → Verify/ → Swap/ → Apply/ → Notify/. A stage's result is the next one's input, and no
//   stage knows one behind it. Decide/ says what is to be done and does nothing; `SeedStore` walks through
//   them all. Bundle/ hands a seed that the app brought along to Verify/, as Fetch/ does with one from a server;
//   Doctor/ only looks.
// - No byte of a snapshot or a delta reaches SQLite before its length and SHA-256 matched signed metadata.
// - What an app has open never changes under its path: a snapshot becomes a new generation, in a folder of
//   its own.
// - One connection per store writes and checkpoints (SQLite before 3.51.3 can corrupt a WAL that two
//   connections reset); it belongs to `StoreWriter`, or is the app's own that it lends. All others are read-only.
// - Who reads a generation holds a lease on it, a lock that the kernel takes back; only who has the store's lock
//   removes a generation, and only one that nobody leases and that is neither the current nor the previous one.
// - The current generation changes by one durable write. One that cannot be read before it was ever read gives way to
//   the one before, and its snapshot is remembered, but where the disk is to blame.
// - Nothing that blocks runs on the caller's thread or in Swift's own pool: SQLite, inflating and syncing
//   belong to actors that run on a dispatch queue of their own (`QueueExecutor`).
// - A failed look takes nothing away: the old data stays readable, and `SeedState` says what is wrong.
// - No global state. Time, waiting, chance, free space and the network come in through `Surroundings`, so that
//   tests own them. A `Transport` sends one request and judges nothing: what an answer means is `Reply`'s to say,
//   whether to ask again `RetryRule`'s, and whether it takes too long `Watch`'s.
// - What an app catches is `SeedError` and nothing else; other errors are translated in
//   SeedError+Translation.swift.

// An app that imports SeedClient has the names, versions and values that stand in its interface.
@_exported public import SeedFormat
@_exported public import SeedImport

@_exported public import enum SeedTrust.Lifecycle
