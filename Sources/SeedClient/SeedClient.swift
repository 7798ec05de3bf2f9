// SeedClient: the library that an app ships.
//
// Folders, lowest first: Model, Transport, Storage, Read, Fetch, Update, API.
//
// Model contains the public values. Transport sends requests and classifies responses. Storage manages the files and
// locks in a store's directory. Read contains the generations (a store's data files, each in its own folder) and
// their readers. Fetch downloads. Update applies updates and the app's bundled seed. All other files are the API.
//
// Rules of this module:
// - No byte of a snapshot or delta reaches SQLite before its length and SHA-256 match signed metadata.
// - A generation's file is never replaced, because an app may have it open: a snapshot becomes a new generation.
// - One connection per store writes and checkpoints (SQLite before 3.51.3 can corrupt a WAL that two connections
//   reset). `StoreWriter` owns this connection, and checkpoints before and after an update without waiting for
//   readers. All other connections are read-only.
// - A reader holds a lease on its generation: a file lock that the kernel releases if the process dies. Only the
//   holder of the store's lock removes generations. It keeps the current one, the previous one and all leased ones.
// - One durable write makes another generation current. If that generation is unreadable, the store returns to the
//   previous one and never uses the unreadable generation's snapshot again, unless the disk was at fault.
// - Nothing blocks the caller's thread or Swift's thread pool: SQLite, inflating and syncing run in actors on their
//   own dispatch queues (`QueueExecutor`).
// - A failed update keeps the old data readable and sets the error in `SeedState`.
// - No global state. Time, sleep, randomness, free space and the network come from `Environment`, which tests
//   replace. A `Transport` only sends a request. `Reply` classifies the response, `RetryRule` and `PollInterval` time
//   retries and updates (both honour `Retry-After`), and `WatchedRequest` enforces timeouts.
// - Apps catch only `SeedError`. Each folder's errors convert to it.

// Re-exports single types, because a whole module would add names such as `Limits` to an app's files.
@_exported public import struct SeedFormat.SeedSeries
@_exported public import enum SeedFormat.SeedValue
@_exported public import protocol SeedFormat.SeedValueConvertible
@_exported public import struct SeedFormat.SeedVersion
@_exported public import enum SeedTrust.SeedLifecycle
