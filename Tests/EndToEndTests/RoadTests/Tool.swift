import Foundation
import SeedSystem
import Support
import Testing

/// Runs independent programs.
enum Tool {
  struct Failure: Error {
    let command: String
    let status: Int32
    let output: String
  }

  /// Runs a program from the search path to its end and returns its output; throws the output if the program fails.
  @discardableResult
  static func run(
    _ arguments: [String], in directory: String? = nil, environment: [String: String] = [:],
    input: String? = nil, within patience: TimeInterval = longestWait
  ) throws -> String {
    // One file for both streams: the programs used here print errors only if they fail.
    let outcome = try TestProgram.run(
      arguments, in: directory, environment: environment,
      input: input.map(TestProgram.Input.text) ?? .nothing, joined: true, within: patience)
    guard outcome.status == 0 else {
      throw Failure(command: arguments.joined(separator: " "), status: outcome.status, output: outcome.output)
    }
    return outcome.output
  }

  @discardableResult
  static func sqlite(_ database: String, _ sql: String) throws -> String {
    try run(["sqlite3", "-bail", "-cmd", ".timeout 10000", database], input: sql)
  }

  /// Runs a Python script of this package and returns its output.
  @discardableResult
  static func script(_ path: String, _ arguments: String...) throws -> String {
    try script(path, arguments)
  }

  @discardableResult
  static func script(_ path: String, _ arguments: [String]) throws -> String {
    try run([python, "\(Readme.package)/\(path)"] + arguments, environment: withoutBoto)
  }

  /// Runs a JavaScript program of this package.
  @discardableResult
  static func node(_ path: String, _ arguments: [String]) throws -> String {
    do {
      return try run(["node", "\(Readme.package)/\(path)"] + arguments)
    } catch is FileError {
      throw NeverHappened(what: "node is installed: see Scripts/deps --test")
    }
  }

  /// A condition that SQLite evaluates without an end.
  static let endless =
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)"

  /// Without boto3, which python-tuf loads if it is installed, and which takes longer than all else in a script.
  static let withoutBoto = ["PYTHONPATH": "\(Readme.package)/Tests/EndToEndTests/RoadTests/without-boto3"]

  /// The Python interpreter of the test setup.
  static var python: String { ProcessInfo.processInfo.environment["SEEDBANK_PYTHON"] ?? "python3" }
}

extension SeedbankBinary {
  /// The words of an update of the dataset `my`, by a command in its deployment's parent folder.
  static func pull(_ address: String, into store: String? = nil) -> [String] {
    ["pull", address, "--dataset", "my", "--model", "1.0", "--root", "seedbank/root.json"]
      + (store.map { ["--store", $0] } ?? [])
  }

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

extension ProgramOutcome {
  /// Expects an exit code, and texts that the messages and the results contain.
  @discardableResult
  func expect(
    _ status: Int32, _ errors: String..., output: String..., at place: SourceLocation = #_sourceLocation
  ) -> Self {
    let isExpected =
      self.status == status && errors.allSatisfy { self.errors.contains($0) }
      && output.allSatisfy { self.output.contains($0) }
    #expect(isExpected, "\(status), \(errors + output), but \(self)", sourceLocation: place)
    return self
  }
}
