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

  init(_ directory: String, root: String, _ model: [String]) throws {
    process.executableURL = SeedbankBinary.url.deletingLastPathComponent().appendingPathComponent(
      "StoreReader")
    process.arguments = [directory, root] + model
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
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
