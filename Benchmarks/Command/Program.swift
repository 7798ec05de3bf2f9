import Foundation
import SeedSystem

/// A program in its own process group, which ends with this object or at its time limit.
final class Program {
  let identifier: pid_t
  private let command: String
  private let input: Int32
  private let output: Int32
  private let errors: Int32
  private let start: ContinuousClock.Instant
  private var hasEnded = false

  /// Long enough for the longest measurement.
  static let longestRun = 4 * 3600.0
  private static let longestStart = 60.0
  private static let longestEnd = 30.0

  /// The program's input: the text, or the bytes from ``write(_:)``.
  init(
    _ command: [String], environment: [String: String] = [:], in folder: String? = nil, text: String? = nil
  )
    throws
  {
    self.command = command.joined(separator: " ")
    let ends = try text.map { try (Self.file($0), -1) } ?? Spawn.pipe(to: command[0])
    defer { close(ends.0) }
    (input, output, errors) = (ends.1, try Self.file(), try Self.file())
    // A write to a program that has ended would kill this process.
    signal(SIGPIPE, SIG_IGN)
    start = ContinuousClock.now
    do {
      identifier = try Spawn.start(
        command, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, in: folder,
        input: ends.0, output: output, errors: errors)
    } catch {
      [input, output, errors].forEach { close($0) }
      throw error
    }
  }

  /// An unnamed file, because a pipe could fill up.
  private static func file(_ text: String = "") throws -> Int32 {
    var path = Array("\(FileManager.default.temporaryDirectory.path)/seedbank-bench-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, unlink(path) == 0 else {
      throw BenchmarkError.child("no temporary file")
    }
    try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
  }

  deinit {
    stop()
    [input, output, errors].forEach { close($0) }
  }

  func write(_ text: String) throws {
    try FileHandle(fileDescriptor: input).write(contentsOf: Data(text.utf8))
  }

  /// Waits for the program's end within a limit and returns its costs; throws if it failed.
  @discardableResult
  func finish(within limit: Double = longestRun) throws -> ToolRun {
    let group = -identifier
    let overdue = DispatchWorkItem { kill(group, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: overdue)
    defer { overdue.cancel() }
    var (status, usage): (Int32, rusage) = (0, rusage())
    while wait4(identifier, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw BenchmarkError.child(command) }
    }
    hasEnded = true
    guard status == 0 else { throw BenchmarkError.child("\(command): status \(status), \(read(errors))") }
    return ToolRun(
      seconds: (ContinuousClock.now - start) / .seconds(1),
      processorSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds, peakBytes: usage.ru_maxrss * 1024)
  }

  func stop(_ signal: Int32 = SIGTERM) {
    guard !hasEnded else { return }
    kill(identifier, signal)
    _ = try? finish(within: Self.longestEnd)
  }

  /// The output so far.
  var printed: String { read(output) }

  /// The first line that it prints.
  func line() throws -> String {
    for _ in 0..<Int(Self.longestStart * 100) {
      let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
      if lines.count > 1 { return String(lines[0]) }
      var info = siginfo_t()
      if waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT) == 0,
        info._sifields._sigchld.si_pid == identifier
      {
        break
      }
      usleep(10_000)
    }
    throw BenchmarkError.child("\(command) prints nothing: \(read(errors))")
  }

  private func read(_ file: Int32) -> String {
    var status = stat()
    fstat(file, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
