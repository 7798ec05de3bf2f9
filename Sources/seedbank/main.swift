import SeedSystem

// A closed stream's number would be the next file's that is opened, and messages would go into that file.
for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
  // The lowest number that is free is this one.
  _ = open("/dev/null", O_RDWR)
}
// A reader that leaves (`| head`, a client that hangs up) is an error of one write, not the process's end.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
