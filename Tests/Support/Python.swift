import Foundation

/// Runs a script; its output and errors together.
package func python(_ script: String, _ arguments: [String]) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  let interpreter = ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3"
  process.arguments = [interpreter, "-c", script] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitForEnd()
  return String(decoding: output, as: UTF8.self)
}
