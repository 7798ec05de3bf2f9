// SeedSystem: the operating system's services, such as files, locks, child processes, queues and time.
//
// Rules of this module:
// - Outside this module, only SQLite, libmicrohttpd, libarchive and SeedHTTP (sockets) open file descriptors.
// - Only this module retries calls interrupted by a signal. A ``FileError`` gives the operation, path and reason.
// - Durable files are written in one way: temporary file, sync, rename, sync the folder (``DurableFile``).
// - Differences between Linux and Apple systems are confined to this module.

#if canImport(Darwin)
@_exported public import Darwin
#else
@_exported public import Glibc
#endif
