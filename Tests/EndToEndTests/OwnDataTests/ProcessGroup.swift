import Foundation
import Support

/// A program with all that it starts, ended together.
final class ProcessGroup {
  private let process = Process()
  private let outputPath: String

  /// Starts the program, which Foundation makes the leader of a group of its own; its streams go to one file.
  init(_ arguments: [String], in directory: String, environment: [String: String], output: String) throws {
    outputPath = output
    try Data().write(to: URL(fileURLWithPath: output))
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    (process.standardOutput, process.standardError) = (file, file)
    process.standardInput = FileHandle.nullDevice
    try ProcessGuard.run(process)
  }

  /// The leader's number.
  var identifier: Int32 { process.processIdentifier }

  /// What has been printed so far.
  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// Waits until a text is printed; a program that ends before has failed.
  func waits(for text: String, within patience: TimeInterval) throws {
    _ = try eventually("\"\(text)\" is printed", within: patience) {
      if output.contains(text) { return true }
      guard process.isRunning else { throw Ended(status: process.terminationStatus, output: output) }
      return nil
    }
  }

  /// The program ended before it printed what was waited for.
  struct Ended: Error {
    let status: Int32
    let output: String
  }

  /// Ends the whole group, waits for its leader, and returns its exit status.
  @discardableResult
  func stop() -> Int32 {
    if process.isRunning { Foundation.kill(-process.processIdentifier, SIGTERM) }
    process.waitForEnd()
    return process.terminationStatus
  }

  /// Ends the whole group in the middle of what it does.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(-process.processIdentifier, SIGKILL)
    process.waitForEnd()
  }

  deinit { stop() }
}
