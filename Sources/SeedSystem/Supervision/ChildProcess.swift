#if !canImport(Darwin)
/// A program that runs in a process group of its own, reads one text and writes some. It gets the signals' usual
/// behaviour and no open file of ours but these.
package final class ChildProcess: Sendable {
  /// How it ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It took longer than it may, and was ended with all that it had started.
    case overdue
  }

  private let process: pid_t
  private let input: Int32
  private let output: Int32
  /// Reads and writes go on while this process waits, in slices, after each of which it looks whether the other has ended.
  private static let sliceMilliseconds: Int32 = 20
  private static let bufferBytes = 16 * 1024
  /// For a program to end by itself after it was asked to.
  private static let grace = Duration.seconds(1)

  /// Held from a pipe's making to the start: another child must not get its ends.
  private static let starting = Mutex(())

  /// Starts it. A program without a slash is searched for in this process's `PATH`.
  package init(_ command: [String], environment: [String: String]) throws(FileError) {
    let program = command.first ?? ""
    (process, input, output) = try Self.starting.withLock { _ throws(FileError) in
      let (reads, writes) = (try Self.pipe(program), try Self.pipe(program))
      defer { [reads.read, writes.write].forEach { close($0) } }
      do throws(FileError) {
        let process = try Self.spawn(command, environment, input: reads.read, output: writes.write)
        return (process, reads.write, writes.read)
      } catch {
        [reads.write, writes.read].forEach { close($0) }
        throw error
      }
    }
    for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // To write to a program that reads no more would end this process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(input)
    close(output)
  }

  private static func pipe(_ program: String) throws(FileError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    _ = try retrying("open a pipe to", program) { Glibc.pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ command: [String], _ environment: [String: String], input: Int32, output: Int32
  ) throws(FileError) -> pid_t {
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    for file in inheritedFiles { posix_spawn_file_actions_addclose(&actions, file) }
    // What this process ignores or blocks, a child would ignore and block as well: its own end, among others.
    var (signals, none) = (sigset_t(), sigset_t())
    sigfillset(&signals)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, command.first ?? "", &actions, &attributes, &words, &variables)
    guard failure == 0 else { throw FileError("start", command.first ?? "", failure) }
    return process
  }

  /// Open files that whoever opened them did not mark as this process's own.
  private static var inheritedFiles: [Int32] {
    let numbers = ((try? Folder.names(in: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
    return numbers.filter { $0 > STDERR_FILENO && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
  }

  /// Gives it a text, reads what it writes, and waits for its end. Of what it writes the last `outputBytes` are kept; all is
  /// read, for else it would wait for a reader. Blocks, at most for the limit and a moment.
  package func finish(
    input text: [UInt8], outputBytes: Int, within limit: Duration
  ) -> (ending: Ending, output: [UInt8]) {
    let deadline = SuspendingClock.now + limit
    var (rest, read): (ArraySlice<UInt8>, [UInt8]) = (text[...], [])
    var isInputOpen = true
    while SuspendingClock.now < deadline {
      if isInputOpen, rest.isEmpty || !write(&rest) {
        isInputOpen = false
        // Its input has an end; the number stays taken until this goes.
        _ = dup2(output, input)
      }
      drain(&read, outputBytes)
      if let status = ended(WNOHANG) {
        drain(&read, outputBytes)
        return (Self.ending(status), read.suffix(outputBytes) + [])
      }
      var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      // A program that closed its output would wake this at once for ever.
      if poll(&request, 1, Self.sliceMilliseconds) > 0, request.revents & Int16(POLLIN) == 0 {
        usleep(UInt32(Self.sliceMilliseconds) * 1000)
      }
    }
    end()
    drain(&read, outputBytes)
    return (.overdue, read.suffix(outputBytes) + [])
  }

  /// False once it reads no more.
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
    while case let count = read(output, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
      // Not each time, which would move all bytes for each piece.
      if bytes.count > 2 * most { bytes.removeFirst(bytes.count - most) }
    }
  }

  private func ended(_ options: Int32) -> Int32? {
    var status: Int32 = 0
    return waitpid(process, &status, options) == process ? status : nil
  }

  /// Ends it with all that it has started, first as a request.
  private func end() {
    kill(-process, SIGTERM)
    let deadline = SuspendingClock.now + Self.grace
    while SuspendingClock.now < deadline {
      if ended(WNOHANG) != nil { break }
      usleep(UInt32(Self.sliceMilliseconds) * 1000)
    }
    // Also where it has ended: what it started may be left, and the group's number is taken for as long.
    kill(-process, SIGKILL)
    _ = ended(0)
  }

  /// Ends it at once, with all that it has started. Whoever waits for it learns of that.
  package func kill() { Glibc.kill(-process, SIGKILL) }

  private func kill(_ group: pid_t, _ signal: Int32) { _ = Glibc.kill(group, signal) }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
#endif
