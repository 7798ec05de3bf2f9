#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// A reader that leaves (`| head`, a client that hangs up) is an error of one write, not the process's end.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
