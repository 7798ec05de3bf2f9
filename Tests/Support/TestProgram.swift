#if os(Linux)
package import Foundation
import SeedSystem

/// A program that a test runs; it ends with its owner, together with all that it started and left in its group.
///
/// What it prints goes to files: no pipe of ours can stay open in a process that outlives it.
package final class TestProgram: Sendable {
  /// How it ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// Where a program's standard input comes from.
  package enum Input {
    case nothing
    case text(String)
    /// A pipe, for ``write(_:)`` and ``closeInput()``.
    case pipe
  }

  /// How long a program may take, unless a test names its own limit.
  package static let longestRun: TimeInterval = Stage.current == .quick ? 30 : 120

  /// The process's number.
  package let identifier: pid_t
  private let command: [String]
  private let files: TemporaryFolder
  /// The end of its input's pipe that we hold.
  private let input: Mutex<Int32?>

  /// Starts a program. One without a slash is searched for in `PATH`; its environment is ours with `environment` on top
  /// or, with `isBare`, `environment` alone. Its output goes to a file, or to a descriptor that this closes; its errors go
  /// there as well if they are `joined`.
  package init(
    _ command: [String], in folder: String? = nil, environment: [String: String] = [:], isBare: Bool = false,
    input: Input = .nothing, output: Int32? = nil, joined: Bool = false
  ) throws {
    (self.command, files) = (command, try TemporaryFolder())
    let output = try output ?? Self.open(files("output"), O_WRONLY | O_CREAT | O_APPEND)
    let errors = try joined ? output : Self.open(files("errors"), O_WRONLY | O_CREAT | O_APPEND)
    let (read, write) = try Self.open(input, files)
    defer { Set([output, errors, read]).forEach { close($0) } }
    let ours = isBare ? [:] : ProcessInfo.processInfo.environment
    identifier = try Spawn.start(
      command, environment: ours.merging(environment) { $1 }, in: folder, input: read, output: output,
      errors: errors)
    self.input = Mutex(write)
    ProcessGuard.shared.add(identifier)
  }

  private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError("open", path) }
    return descriptor
  }

  private static func open(_ input: Input, _ files: TemporaryFolder) throws -> (read: Int32, write: Int32?) {
    switch input {
    case .nothing: return (try open("/dev/null", O_RDONLY), nil)
    case .text(let text):
      try Data(text.utf8).write(to: URL(filePath: files("input")))
      return (try open(files("input"), O_RDONLY), nil)
    case .pipe:
      // To write to a program that has ended would end this process.
      signal(SIGPIPE, SIG_IGN)
      return try Spawn.pipe(to: "a program of a test")
    }
  }

  deinit {
    kill(-identifier, SIGTERM)
    _ = awaited(5)
    end()
    closeInput()
    // Its number is taken until it is waited for, so that no signal can reach a stranger.
    ProcessGuard.shared.remove(identifier)
    waitpid(identifier, nil, WNOHANG)
  }

  // MARK: What it prints

  /// What it has printed so far.
  package var output: String { text("output") }
  /// What it has printed as errors so far.
  package var errors: String { text("errors") }

  private func text(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: files(name)))) ?? Data(), as: UTF8.self)
  }

  /// Waits until its output has a text; a program that ends before has failed.
  package func waits(for text: String, within patience: TimeInterval = longestWait) throws {
    try eventually("\"\(text)\" is printed by \(description)", within: patience) {
      let hasEnded = !isRunning
      if output.contains(text) { return true }
      if hasEnded { throw failure("has ended") }
      return nil
    }
  }

  // MARK: What it reads

  /// Writes to its standard input.
  package func write(_ text: String) throws {
    guard let input = input.withLock(\.self) else { throw failure("has no input") }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FileError("write to", command[0]) }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends its standard input.
  package func closeInput() {
    input.withLock { input in
      if let input { close(input) }
      input = nil
    }
  }

  // MARK: Its end

  /// How it ended, or nil. It stays a zombie until its owner goes.
  package var ending: Ending? {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    let child = info._sifields._sigchld
    if child.si_pid != identifier { return nil }
    return info.si_code == CLD_EXITED ? .exited(child.si_status) : .killed(signal: child.si_status)
  }

  package var isRunning: Bool { ending == nil }

  /// Sends a signal to the program, or to its whole group.
  package func send(_ signal: Int32, toGroup: Bool = false) {
    kill(toGroup ? -identifier : identifier, signal)
  }

  /// Waits until it has ended by itself. One that does not is killed with its group, and the error says so.
  @discardableResult
  package func wait(within patience: TimeInterval = longestRun) throws -> Ending {
    if let ending = awaited(patience) { return ending }
    let place =
      (try? String(contentsOfFile: "/proc/\(identifier)/wchan", encoding: .utf8)) ?? "an unknown call"
    end()
    throw failure("did not end within \(patience) seconds; it waited in \(place)")
  }

  private func awaited(_ patience: TimeInterval) -> Ending? {
    let deadline = ContinuousClock.now + .seconds(patience)
    var pause: UInt32 = 500
    while ContinuousClock.now < deadline {
      if let ending { return ending }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    return ending
  }

  /// Asks it to end, and waits for that.
  @discardableResult
  package func stop(
    _ signal: Int32 = SIGTERM, toGroup: Bool = false, within patience: TimeInterval = longestRun
  ) throws -> Ending {
    send(signal, toGroup: toGroup)
    return try wait(within: patience)
  }

  /// Ends it and its group in the middle of what they do. One in an uninterruptible call ends later.
  package func end() {
    kill(-identifier, SIGKILL)
    _ = awaited(5)
  }

  private var description: String { command.joined(separator: " ") }

  private func failure(_ verb: String) -> ProgramFailure {
    ProgramFailure(what: "\(description) \(verb)", output: output, errors: errors)
  }

  /// What it leaves behind when it has ended by itself.
  package func outcome(within patience: TimeInterval = longestRun) throws -> ProgramOutcome {
    let ending = try wait(within: patience)
    return ProgramOutcome(ending: ending, output: output, errors: errors)
  }

  /// Runs a program to its end.
  package static func run(
    _ command: [String], in folder: String? = nil, environment: [String: String] = [:], isBare: Bool = false,
    input: Input = .nothing, joined: Bool = false, within patience: TimeInterval = longestRun
  ) throws -> ProgramOutcome {
    try TestProgram(
      command, in: folder, environment: environment, isBare: isBare, input: input, joined: joined
    )
    .outcome(within: patience)
  }
}

/// What a program that ended left behind.
package struct ProgramOutcome: Sendable {
  package let ending: TestProgram.Ending
  package let output: String
  package let errors: String

  /// The exit code, or the number of the signal that ended it.
  package var status: Int32 {
    switch ending {
    case .exited(let status), .killed(let status): status
    }
  }
}

/// A program that did not do what a test needs.
package struct ProgramFailure: Error {
  package let what: String
  package let output: String
  package let errors: String
}
#endif
