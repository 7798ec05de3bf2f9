// SeedClient: the library that an app ships.
//
// Rooms, from the ground up: Model, Storage, Read, Fetch, Update, Bundle, Import, Doctor, API.
//
// Model has the values that an app names, Storage the files and locks of a store's directory, Read the generations and
// their readers. Fetch downloads, Update decides and applies, Bundle does the same with a seed that the app brought
// along. Import and Doctor stand apart. API is the facade `SeedStore`, which alone walks through them all.
//
// Rules of this module:
// - No byte of a snapshot or a delta reaches SQLite before its length and SHA-256 matched signed metadata.
// - A file that an app has open is never replaced under its path: a snapshot becomes a new generation, in a folder of
//   its own.
// - One connection per store writes and checkpoints (SQLite before 3.51.3 can corrupt a WAL that two
//   connections reset). It belongs to `StoreWriter`, or the app lends it. All others are read-only. It empties the log at
//   both ends of an update and waits for no reader.
// - A reader of a generation holds a lease on it, a lock that the kernel takes back; only the holder of the store's
//   lock removes a generation, and only one that is not leased and neither current nor previous.
// - The current generation changes by one durable write. One that cannot be read before it was ever read gives way to
//   the one before, and its snapshot is rejected, unless the disk is at fault.
// - Nothing that blocks runs on the caller's thread or in Swift's own pool: SQLite, inflating and syncing
//   belong to actors that run on a dispatch queue of their own (`QueueExecutor`).
// - A failed update takes nothing away: the old data stays readable, and `SeedState` says what is wrong.
// - No global state. Time, waiting, chance, free space and the network come in through `Environment`, so that
//   tests bring their own. A `Transport` sends one request and judges nothing: `Reply` says what an answer means,
//   `RetryRule` whether to ask again within an update (`Pace` waits between two, and both heed `Retry-After`), and
//   `WatchedRequest` whether it takes too long.
// - An app catches `SeedError` and nothing else. Each room's errors say which one they become.

// An app that imports SeedClient has the names, versions and values that stand in its interface.
@_exported public import SeedFormat
@_exported public import SeedImport

@_exported public import enum SeedTrust.Lifecycle
