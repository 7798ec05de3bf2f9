import SeedPublication
import SeedSystem

// Otherwise the next opened file would get a closed stream's number, and messages would go into that file.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
  // `open` uses the lowest free descriptor: this stream's.
  _ = open("/dev/null", O_RDWR)
}
#if !canImport(Darwin)
// The arguments would be missing, and Swift's runtime may crash.
if access("/proc/self/cmdline", R_OK) != 0 {
  let message =
    "Error: /proc is not mounted, so the command's arguments cannot be read: 'mount -t proc proc /proc' mounts it.\n"
  _ = try? StandardStream.messages.write(Array(message.utf8))
  exit(ExitCode.system.rawValue)
}
#endif
// A closed pipe or connection is then an error of one write, not the process's end.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
