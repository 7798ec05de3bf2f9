import Foundation
import Support

/// Runs programs that we did not write: their word counts.
enum Tool {
  struct Failure: Error {
    let command: String
    let status: Int32
    let output: String
  }

  /// Runs a program from the search path to its end; returns stdout, or throws with both streams.
  @discardableResult
  static func run(
    _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:],
    input: String? = nil
  ) throws -> String {
    let folder = try TemporaryFolder()
    try Data((input ?? "").utf8).write(to: URL(fileURLWithPath: folder("in")))
    try Data().write(to: URL(fileURLWithPath: folder("out")))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder("in")))
    // One file for both: the programs used here print errors only where they fail.
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("out")))
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    process.waitForEnd()
    let text = try String(contentsOfFile: folder("out"), encoding: .utf8)
    guard process.terminationStatus == 0 else {
      throw Failure(
        command: arguments.joined(separator: " "), status: process.terminationStatus, output: text)
    }
    return text
  }

  /// The sqlite3 command's answer.
  @discardableResult
  static func sqlite(_ database: String, _ sql: String) throws -> String {
    try run(["sqlite3", "-bail", "-cmd", ".timeout 10000", database], input: sql)
  }

  /// The Python that the test set-up prepared.
  static var python: String { ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3" }
}

extension SeedbankBinary {
  /// Runs the command and requires that it succeeds.
  @discardableResult
  static func succeed(_ arguments: [String], in directory: String) throws -> String {
    let outcome = try run(arguments, in: directory)
    guard outcome.status == 0 else {
      throw Tool.Failure(
        command: arguments.joined(separator: " "), status: outcome.status,
        output: outcome.output + outcome.errors)
    }
    return outcome.output
  }
}
