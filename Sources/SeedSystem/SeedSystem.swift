// SeedSystem: what the operating system offers, once: files, locks, time, the service manager.
//
// Rules of this module:
// - Nothing above it opens a descriptor by itself; SQLite, libmicrohttpd, libarchive and the sockets of SeedHTTP apart.
// - A call that a signal interrupted is made again here and nowhere else. What fails throws a ``FileError``, which
//   names the operation, the path and the system's reason.
// - Files are durable by one recipe: write beside, sync, rename, sync the folder (``DurableFile``).
// - Where Linux and Apple systems differ, the difference is here.

// Rooms, from the ground up: Files, Memory, Watching, Supervision, Time.

// Whoever imports SeedSystem has the C library under either of its names.
#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
