import Foundation
import Support

/// Runs programs that we did not write: their word counts.
enum Tool {
  struct Failure: Error {
    let command: String
    let status: Int32
    let output: String
  }

  /// Runs a program from the search path to its end; returns what it printed, or throws with it.
  @discardableResult
  static func run(
    _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:],
    input: String? = nil, within patience: TimeInterval = longestWait
  ) throws -> String {
    // One file for both streams: the programs used here print errors only if they fail.
    let outcome = try TestProgram.run(
      arguments, in: directory, environment: environment,
      input: input.map(TestProgram.Input.text) ?? .nothing,
      joined: true, within: patience)
    guard outcome.status == 0 else {
      throw Failure(command: arguments.joined(separator: " "), status: outcome.status, output: outcome.output)
    }
    return outcome.output
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
