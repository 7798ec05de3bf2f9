import Foundation

/// The cost of one run of a program.
struct ToolRun {
  var seconds = 0.0
  var processorSeconds = 0.0
  var peakBytes = 0

  func plus(_ other: ToolRun) -> ToolRun {
    ToolRun(
      seconds: seconds + other.seconds, processorSeconds: processorSeconds + other.processorSeconds,
      peakBytes: max(peakBytes, other.peakBytes))
  }

  func divided(by count: Int) -> ToolRun {
    ToolRun(
      seconds: seconds / Double(count), processorSeconds: processorSeconds / Double(count),
      peakBytes: peakBytes)
  }

  func minus(_ other: ToolRun) -> ToolRun {
    ToolRun(
      seconds: seconds - other.seconds, processorSeconds: processorSeconds - other.processorSeconds,
      peakBytes: peakBytes)
  }
}

enum Tool {
  /// The binary next to this program.
  static let seedbank = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "seedbank").path

  /// Runs a program to its end and discards its output; a failure throws.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> ToolRun {
    let inputFile = FileManager.default.temporaryDirectory.appending(
      path: "seedbank-input-\(UUID().uuidString)")
    try input.write(to: inputFile, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: inputFile) }
    let errorFile = inputFile.path + ".errors"
    defer { try? FileManager.default.removeItem(atPath: errorFile) }
    let start = ContinuousClock.now
    let process = try spawn(program, arguments, inputFile.path, errorFile)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw BenchmarkError.child(program) }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0 else {
      let errors = (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? ""
      throw BenchmarkError.child("\(program) \(arguments.joined(separator: " ")): \(errors)")
    }
    return ToolRun(
      seconds: seconds, processorSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
      peakBytes: usage.ru_maxrss * 1024)
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ inputFile: String, _ errorFile: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, inputFile, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorFile, O_WRONLY | O_CREAT, 0o600)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, nil, &words, environ)
    guard code == 0 else { throw BenchmarkError.child("\(program): \(String(cString: strerror(code)))") }
    return process
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
