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
  private let isReaped = Mutex(false)
  /// Reads and writes go on while this process waits, in slices, after each of which it looks whether the other has ended.
  private static let sliceMilliseconds: Int32 = 20
  private static let bufferBytes = 16 * 1024
  /// Buffers that are read in one slice: a program that writes without an end is overdue all the same.
  private static let buffersInSlice = 64
  /// For a program to end by itself after it was asked to.
  private static let grace = Duration.seconds(1)

  /// Starts it. A program without a slash is searched for in this process's `PATH`.
  package init(_ command: [String], environment: [String: String]) throws(FileError) {
    let program = command.first ?? ""
    let (reads, writes) = (try Spawn.pipe(to: program), try Spawn.pipe(to: program))
    defer { [reads.read, writes.write].forEach { close($0) } }
    do throws(FileError) {
      process = try Spawn.start(
        command, environment: environment, input: reads.read, output: writes.write, errors: writes.write)
    } catch {
      [reads.write, writes.read].forEach { close($0) }
      throw error
    }
    (input, output) = (reads.write, writes.read)
    for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // To write to a program that reads no more would end this process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(input)
    close(output)
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
      if let status = ended() {
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
    for _ in 0..<Self.buffersInSlice {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
      // Not each time, which would move all bytes for each piece.
      if bytes.count > 2 * most { bytes.removeFirst(bytes.count - most) }
    }
  }

  /// Its status, once: from then on another process may get its number.
  private func ended() -> Int32? {
    isReaped.withLock { isReaped in
      var status: Int32 = 0
      guard !isReaped, waitpid(process, &status, WNOHANG) == process else { return nil }
      isReaped = true
      return status
    }
  }

  /// Whether it ended within the grace.
  private func endsSoon() -> Bool {
    let deadline = SuspendingClock.now + Self.grace
    while SuspendingClock.now < deadline {
      if ended() != nil { return true }
      usleep(UInt32(Self.sliceMilliseconds) * 1000)
    }
    return false
  }

  /// Ends it with all that it has started, first as a request.
  private func end() {
    Glibc.kill(-process, SIGTERM)
    let hasEnded = endsSoon()
    // What it started may be left even if it has ended, and keeps the group's number taken.
    Glibc.kill(-process, SIGKILL)
    if !hasEnded { _ = endsSoon() }
  }

  /// Ends it at once, with all that it has started. A call of ``finish(input:outputBytes:within:)`` then returns.
  package func kill() {
    isReaped.withLock { if !$0 { Glibc.kill(-process, SIGKILL) } }
  }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
#endif
