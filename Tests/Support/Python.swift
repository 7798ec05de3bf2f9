#if os(Linux)
import Foundation

/// Runs a script with the tests' Python; returns output and errors together.
package func python(_ script: String, _ arguments: [String] = [], input: String = "") throws -> String {
  let interpreter = ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3"
  return try TestProgram.run(
    [interpreter, "-c", script] + arguments, input: .text(input), joined: true, within: longestWait
  ).output
}
#endif
