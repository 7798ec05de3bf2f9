#if os(Linux)
internal import CLinux

/// A program in its own process group. Gets one input string and default signal handling, but no open files.
package final class ChildProcess: Sendable {
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// The program exceeded the time limit and was killed with its process group.
    case overdue
  }

  private let process: pid_t
  private let input: Int32
  private let output: Int32
  private let isReaped = Mutex(false)
  /// Milliseconds between two checks of whether the program has ended.
  private static let sliceMilliseconds: Int32 = 20
  private static let bufferBytes = 16 * 1024
  /// Maximum buffers read between two checks, so that a program that writes endlessly still times out.
  private static let buffersInSlice = 64
  /// Time for the program to exit after SIGTERM.
  private static let grace = Duration.seconds(1)

  /// Starts the program. A name without a slash is searched for in this process's `PATH`.
  package init(_ command: [String], environment: [String: String]) throws(FileError) {
    // The reading and the writing end of the program's input, then those of its output.
    var ends: [Int32] = []
    do throws(FileError) {
      for _ in 0..<2 {
        let pipe = try Spawn.pipe(to: command.first ?? "")
        ends += [pipe.read, pipe.write]
      }
      process = try Spawn.start(
        command, environment: environment, input: ends[0], output: ends[3], errors: ends[3])
    } catch {
      ends.forEach { close($0) }
      throw error
    }
    [ends[0], ends[3]].forEach { close($0) }
    (input, output) = (ends[1], ends[2])
    for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // Writing to a program that has closed its input would otherwise kill this process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(input)
    close(output)
  }

  /// Writes the input, reads the output, and waits until the program ends. Ends the program after the limit. Returns
  /// only the last `outputBytes` of the output, but reads all of it, because the program would block otherwise.
  package func finish(
    input text: [UInt8], outputBytes: Int, within limit: Duration
  ) -> (ending: Ending, output: [UInt8]) {
    let deadline = SuspendingClock.now + limit
    var (rest, read): (ArraySlice<UInt8>, [UInt8]) = (text[...], [])
    var isInputOpen = true
    while SuspendingClock.now < deadline {
      if isInputOpen, rest.isEmpty || !write(&rest) {
        isInputOpen = false
        // Closes the input but keeps the descriptor number reserved until deinit.
        _ = dup2(output, input)
      }
      drain(&read, outputBytes)
      if let status = ended() {
        drain(&read, outputBytes)
        return (Self.ending(status), read.suffix(outputBytes) + [])
      }
      var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      // A closed output makes poll() return at once, so sleep to avoid a busy loop.
      if poll(&request, 1, Self.sliceMilliseconds) > 0, request.revents & Int16(POLLIN) == 0 {
        usleep(UInt32(Self.sliceMilliseconds) * 1000)
      }
    }
    end()
    drain(&read, outputBytes)
    return (.overdue, read.suffix(outputBytes) + [])
  }

  /// False once the program has closed its input.
  private func write(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func drain(_ bytes: inout [UInt8], _ most: Int) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
    for _ in 0..<Self.buffersInSlice {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
      // Trims rarely, because each trim moves all bytes.
      if bytes.count > 2 * most { bytes.removeFirst(bytes.count - most) }
    }
  }

  /// Reaps the program if it has ended, and returns its status. Does so once, because the process ID may then be reused.
  private func ended() -> Int32? {
    isReaped.withLock { isReaped in
      var status: Int32 = 0
      guard !isReaped, waitpid(process, &status, WNOHANG) == process else { return nil }
      isReaped = true
      return status
    }
  }

  private func endsSoon() -> Bool {
    let deadline = SuspendingClock.now + Self.grace
    while SuspendingClock.now < deadline {
      if ended() != nil { return true }
      usleep(UInt32(Self.sliceMilliseconds) * 1000)
    }
    return false
  }

  private func end() {
    Glibc.kill(-process, SIGTERM)
    let hasEnded = endsSoon()
    // Kills the rest of the group, whose ID is not reused while one of its processes runs.
    Glibc.kill(-process, SIGKILL)
    if !hasEnded { _ = endsSoon() }
  }

  /// Kills the process group. A running ``finish(input:outputBytes:within:)`` then returns.
  package func kill() {
    isReaped.withLock { if !$0 { Glibc.kill(-process, SIGKILL) } }
  }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
/// Processes that inherited an environment variable, including those in other process groups.
package enum MarkedProcesses {
  /// Maximum passes, because processes may start while others are killed.
  private static let mostLooks = 20
  /// Pause between passes, because killed processes take a moment to exit.
  private static let pauseMicroseconds: UInt32 = 5000

  /// Kills this user's processes that have the variable with that value, until none is left.
  package static func end(_ variable: String, _ value: String) {
    let mark = Array("\(variable)=\(value)".utf8)
    for _ in 0..<mostLooks {
      let found = all(mark)
      if found.isEmpty { return }
      for process in found { _ = kill(process, SIGKILL) }
      usleep(pauseMicroseconds)
    }
  }

  private static func all(_ mark: [UInt8]) -> [pid_t] {
    let numbers = ((try? Folder.names(in: "/proc")) ?? []).compactMap { pid_t($0) }
    return numbers.filter { $0 != getpid() && has(mark, $0) }
  }

  private static let mostBytes = 2 * 1024 * 1024

  /// Whether the initial environment has the mark; false for ended processes.
  private static func has(_ mark: [UInt8], _ process: pid_t) -> Bool {
    let variables = (try? DurableFile.start(of: "/proc/\(process)/environ", mostBytes)) ?? nil
    return variables?.split(separator: 0).contains { $0.elementsEqual(mark) } == true
  }
}

package enum Spawn {
  /// Starts a program as leader of its own process group, with only the given descriptors 0, 1 and 2 and default
  /// signal handling. A name without a slash is searched for in this process's `PATH`.
  package static func start(
    _ command: [String], environment: [String: String], in folder: String? = nil, input: Int32, output: Int32,
    errors: Int32
  ) throws(FileError) -> Int32 {
    let program = command.first ?? ""
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    _ = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    if let folder { _ = posix_spawn_file_actions_addchdir_np(&actions, folder) }
    useDefaultSignals(&attributes)
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, program, &actions, &attributes, &words, &variables)
    guard failure == 0 else { throw FileError("start", program, failure) }
    return process
  }

  /// Resets signals that this process ignores or blocks, such as SIGTERM, because a child would inherit these settings.
  private static func useDefaultSignals(_ attributes: inout posix_spawnattr_t) {
    var (signals, none) = (sigset_t(), sigset_t())
    sigfillset(&signals)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
  }

  package static func pipe(to program: String) throws(FileError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    _ = try retrying("open a pipe to", program) { pipe2(&ends, O_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
#endif
