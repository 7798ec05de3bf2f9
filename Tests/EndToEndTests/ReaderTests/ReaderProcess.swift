import Foundation
import Support

/// A process that reads a store until it is told to end.
final class ReaderProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// What the process has seen.
  struct Report {
    let status: Int32
    let text: String
  }

  init(_ directory: String, _ model: [String], _ more: [String] = []) throws {
    process.executableURL = SeedbankBinary.url.deletingLastPathComponent().appendingPathComponent(
      "StoreReader")
    process.arguments = [directory] + model + more
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
  }

  /// The next that it prints; waits for it.
  func nextLines() -> [Substring] {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n")
  }

  /// Ends its input and waits for its last words.
  func stop() throws -> Report {
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitForEnd()
    return Report(status: process.terminationStatus, text: text)
  }

  deinit { if process.isRunning { process.terminate() } }
}
