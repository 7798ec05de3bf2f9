import SeedSystem

/// One of the process's two outputs.
enum StandardStream: Int32, Sendable {
  case results = 1
  case messages = 2

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Writes all bytes. A reader that left is no failure: it has seen what it wanted.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(rawValue, $0.baseAddress, $0.count) }
      guard count < 0 else {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EPIPE: return
      case EINTR: continue
      case EAGAIN: waitUntilWritable()
      case let code: throw failure(code)
      }
    }
  }

  /// A stream that its owner made non-blocking, as some supervisors do.
  private func waitUntilWritable() {
    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }

  private func failure(_ code: Int32) -> CommandFailure {
    let name = self == .results ? "standard output" : "standard error"
    return CommandFailure(.inputOutput, "Writing to \(name) failed: \(String(cString: strerror(code))).")
  }
}

/// write(2), by a name that the method above does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
