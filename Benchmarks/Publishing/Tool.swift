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
    try Program([program] + arguments, text: input).finish()
  }

  /// Creates a deployment that publishes one snapshot as gzip, with its indexes, however large the origin is.
  @discardableResult
  static func createDeployment(_ deployment: String, of origin: String) throws -> ToolRun {
    let run = try run(seedbank, ["init", origin, "--directory", deployment, "--dataset", "bench"])
    let file = URL(fileURLWithPath: "\(deployment)/bench/dataset.json")
    var settings = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    for name in ["encodings", "indexes"] { settings[name] = nil }
    try JSONSerialization.data(withJSONObject: settings).write(to: file)
    return run
  }

  /// Runs a program that prints a number.
  static func number(_ program: String, _ arguments: [String]) throws -> (cost: ToolRun, number: Int) {
    let command = [program] + arguments
    let program = try Program(command, text: "")
    let cost = try program.finish()
    guard let number = Int(program.printed.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchmarkError.unexpected("output \"\(program.printed)\"", in: command.joined(separator: " "))
    }
    return (cost, number)
  }

  static func output(of program: String, _ arguments: [String]) throws -> String {
    let program = try Program([program] + arguments, text: "")
    try program.finish()
    return program.printed
  }
}
