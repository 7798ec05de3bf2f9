import SeedDatabase
import SeedPublication
import SeedSystem

// If the caller closed a standard stream, the next opened file would get its number and receive the messages.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
  // `open` uses the lowest free descriptor, which is this stream's.
  _ = open("/dev/null", O_RDWR)
}
#if !canImport(Darwin)
// Without /proc, Swift finds no arguments and may crash.
if access("/proc/self/cmdline", R_OK) != 0 {
  let message =
    "Error: /proc is not mounted, so the command's arguments cannot be read. Mount it with 'mount -t proc proc /proc'.\n"
  _ = try? StandardStream.messages.writeAll(Array(message.utf8))
  exit(ExitCode.system.rawValue)
}
#endif
// Writing to a closed pipe or connection then fails instead of ending the process.
signal(SIGPIPE, SIG_IGN)
// If the caller ignores SIGCHLD, the kernel discards the exit statuses of programs that this process starts.
signal(SIGCHLD, SIG_DFL)
// All allocations of SQLite would otherwise lock one mutex.
Connection.omitMemoryStatistics()
exit(await Program.run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
