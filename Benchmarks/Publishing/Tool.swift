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

  static func output(of program: String, _ arguments: [String]) throws -> String {
    let program = try Program([program] + arguments, text: "")
    try program.finish()
    return program.printed
  }
}
