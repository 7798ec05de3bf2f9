import Foundation
import Support
import Testing

/// A running `seedbank run` or `seedbank serve` that ends with its owner.
final class RunningSeedbank {
  /// `http://127.0.0.1:<port>`, read from the process's output.
  let address: String
  private let program: TestProgram

  /// Starts the command on a port chosen by the system and waits until it listens. `launcher` is a program, such as a
  /// tracer, with arguments, that executes the command.
  init(
    _ arguments: [String], in directory: String, environment: [String: String] = [:], launcher: [String] = []
  ) throws {
    let program = try TestProgram(
      launcher + [SeedbankBinary.path] + arguments, in: directory, environment: environment, isBare: true)
    self.program = program
    address = try eventually("the server listens", every: 0.01) {
      if let ending = program.ending { throw Stopped(ending: ending, errors: program.errors) }
      let line = program.output.split(separator: "\n").first { $0.hasPrefix("listening on ") }
      return line.map { String($0.dropFirst("listening on ".count)) }
    }
  }

  struct Stopped: Error {
    let ending: TestProgram.Ending
    let errors: String
  }

  var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
  var identifier: Int32 { program.identifier }

  var output: String { program.output }
  var errors: String { program.errors }

  /// Waits until the front at an address serves everything that is published.
  static func waits(untilServing publication: String, at address: String) throws {
    let published = try String(contentsOfFile: "\(publication)/metadata/timestamp.json", encoding: .utf8)
    try waitUntil("the front serves the newest publication", every: 0.01) {
      try Tool.run(["curl", "-sf", "\(address)/metadata/timestamp.json"]) == published
    }
  }

  func askToEnd() { program.send(SIGTERM) }

  /// Waits for the end and returns the exit status; kills a process that does not end and records an issue.
  func waitForEnd() -> Int32 {
    do {
      return try program.outcome(within: longestWait).status
    } catch {
      Issue.record(error)
      return -1
    }
  }

  func stop() -> Int32 {
    askToEnd()
    return waitForEnd()
  }
}
