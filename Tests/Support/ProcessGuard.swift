package import Foundation
import SeedSystem

/// Ends the servers of tests that were interrupted.
///
/// One shell reads the processes' numbers from a pipe. The pipe ends with the process of the tests, however that
/// ends, and the shell then ends what still runs.
package enum ProcessGuard {
  /// The pipe into the shell, once there is one.
  private static let pipe = Mutex<FileHandle?>(nil)

  private static let script = """
    while read -r sign number; do
      case $sign in
        +) running="$running $number " ;;
        -) running="${running%% $number *} ${running#* $number }" ;;
      esac
    done
    for number in $running; do kill -- "-$number" 2>/dev/null || kill "$number" 2>/dev/null; done
    """

  /// Starts a program that is ended, with all that it started, when the tests' process is gone.
  package static func run(_ process: Process) throws {
    process.terminationHandler = { process in try? tell("- \(process.processIdentifier)") }
    try process.run()
    try tell("+ \(process.processIdentifier)")
    if !process.isRunning { try tell("- \(process.processIdentifier)") }
  }

  private static func tell(_ line: String) throws {
    try pipe.withLock { pipe in
      if pipe == nil { pipe = try startShell() }
      try pipe?.write(contentsOf: Data("\(line)\n".utf8))
    }
  }

  private static func startShell() throws -> FileHandle {
    let (shell, input) = (Process(), Pipe())
    // No other child may hold the pipe open.
    for end in [input.fileHandleForReading, input.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", script]
    shell.standardInput = input
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    return input.fileHandleForWriting
  }
}
