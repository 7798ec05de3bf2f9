#if os(Linux)
package import Foundation
import SeedSystem

/// A program run by a test. It is killed with its owner, together with its process group.
///
/// Its output goes to files, because a process that outlives it could keep a pipe open.
package final class TestProgram: Sendable {
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  package enum Input {
    case nothing
    case text(String)
    /// A pipe for ``write(_:)`` and ``closeInput()``.
    case pipe
  }

  package static let longestRun: TimeInterval = Stage.current == .quick ? 30 : 120

  package let identifier: pid_t
  private let command: [String]
  private let files: TemporaryFolder
  /// The test's end of the input pipe.
  private let input: Mutex<Int32?>

  /// Starts a program; a name without a slash is searched in `PATH`. `environment` extends this process's environment,
  /// or with `isBare` replaces it. `output` is a descriptor that this initialiser closes; by default output goes to a
  /// file. With `joined`, errors go to the same place.
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
      // Otherwise a write to a program that has ended would kill this process.
      signal(SIGPIPE, SIG_IGN)
      return try Spawn.pipe(to: "a program of a test")
    }
  }

  deinit {
    kill(-identifier, SIGTERM)
    _ = awaited(5)
    end()
    closeInput()
    // The process id stays reserved until waitpid, so no signal can reach another process.
    ProcessGuard.shared.remove(identifier)
    waitpid(identifier, nil, WNOHANG)
  }

  // MARK: Output

  package var output: String { text("output") }
  package var errors: String { text("errors") }

  private func text(_ name: String) -> String { read(files(name)) }

  private func read(_ path: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: path))) ?? Data(), as: UTF8.self)
  }

  /// Waits for a text in the output; throws if the program ends before.
  package func waits(for text: String, within patience: TimeInterval = longestWait) throws {
    try eventually("\"\(text)\" is printed by \(description)", within: patience, every: 0.01) {
      let hasEnded = !isRunning
      if output.contains(text) { return true }
      if hasEnded { throw failure("has ended") }
      return nil
    }
  }

  // MARK: Input

  package func write(_ text: String) throws {
    guard let input = input.withLock(\.self) else { throw failure("has no input") }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw FileError("write to", command[0]) }
      rest = rest.dropFirst(count)
    }
  }

  package func closeInput() {
    input.withLock { input in
      if let input { close(input) }
      input = nil
    }
  }

  // MARK: End

  /// The exit status; nil while it runs. The process stays a zombie as long as its owner exists.
  package var ending: Ending? {
    var info = siginfo_t()
    guard waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    let child = info._sifields._sigchld
    if child.si_pid != identifier { return nil }
    return info.si_code == CLD_EXITED ? .exited(child.si_status) : .killed(signal: child.si_status)
  }

  package var isRunning: Bool { ending == nil }

  package func send(_ signal: Int32, toGroup: Bool = false) {
    kill(toGroup ? -identifier : identifier, signal)
  }

  /// Waits for its end; after `patience` seconds kills it with its group and throws.
  @discardableResult
  package func wait(within patience: TimeInterval = longestRun) throws -> Ending {
    if let ending = awaited(patience) { return ending }
    let threads = threads
    end()
    throw failure("did not end within \(patience) seconds; its threads: \(threads)")
  }

  /// The state of each thread, and the kernel's function in which it waits.
  private var threads: String {
    let folder = "/proc/\(identifier)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { name in
      let (stat, place) = (read("\(folder)/\(name)/stat"), read("\(folder)/\(name)/wchan"))
      return "\(stat.prefix(40)) in \(place)"
    }
    .joined(separator: "; ")
  }

  private func awaited(_ patience: TimeInterval) -> Ending? {
    let deadline = ContinuousClock.now + .seconds(patience)
    var pause: UInt32 = 500
    while ContinuousClock.now < deadline {
      if let ending { return ending }
      usleep(pause)
      pause = min(pause * 2, 2_000)
    }
    return ending
  }

  /// Sends a signal and waits for the end.
  @discardableResult
  package func stop(
    _ signal: Int32 = SIGTERM, toGroup: Bool = false, within patience: TimeInterval = longestRun
  ) throws -> Ending {
    send(signal, toGroup: toGroup)
    return try wait(within: patience)
  }

  /// Kills it and its group. A process in an uninterruptible call ends later.
  package func end() {
    kill(-identifier, SIGKILL)
    _ = awaited(5)
  }

  private var description: String { command.joined(separator: " ") }

  private func failure(_ verb: String) -> ProgramFailure {
    ProgramFailure(what: "\(description) \(verb)", output: output, errors: errors)
  }

  package func outcome(within patience: TimeInterval = longestRun) throws -> ProgramOutcome {
    let ending = try wait(within: patience)
    return ProgramOutcome(ending: ending, output: output, errors: errors)
  }

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

package struct ProgramOutcome: Sendable {
  package let ending: TestProgram.Ending
  package let output: String
  package let errors: String

  /// The exit code, or the number of the fatal signal.
  package var status: Int32 {
    switch ending {
    case .exited(let status), .killed(let status): status
    }
  }
}

package struct ProgramFailure: Error {
  package let what: String
  package let output: String
  package let errors: String
}
#endif
