import Foundation
import Support
import Testing

/// A `seedbank run` or `seedbank serve` of a test's own, ended with its owner.
final class RunningSeedbank {
  /// `http://127.0.0.1:<port>`, read from the process's own output.
  let address: String
  private let program: TestProgram

  /// Starts the command on a port that the system chooses, and waits until it says that it listens. A
  /// `launcher` is a program with its arguments that becomes the command, such as a tracer.
  init(
    _ arguments: [String], in directory: String, environment: [String: String] = [:], launcher: [String] = []
  ) throws {
    let program = try TestProgram(
      launcher + [SeedbankBinary.path] + arguments, in: directory, environment: environment, isBare: true)
    self.program = program
    address = try eventually("the server listens") {
      if let ending = program.ending { throw Stopped(ending: ending, errors: program.errors) }
      let line = program.output.split(separator: "\n").first { $0.hasPrefix("listening on ") }
      return line.map { String($0.dropFirst("listening on ".count)) }
    }
  }

  /// The process ended before it listened.
  struct Stopped: Error {
    let ending: TestProgram.Ending
    let errors: String
  }

  /// The port of its address.
  var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
  /// The process's number.
  var identifier: Int32 { program.identifier }

  /// What the process has printed so far.
  var output: String { program.output }
  /// What it has said beside that.
  var errors: String { program.errors }

  /// Asks the process to end.
  func askToEnd() { program.send(SIGTERM) }

  /// Waits for the process's end and returns its exit status. One that does not end is killed, which is an issue.
  func waitForEnd() -> Int32 {
    do {
      return try program.outcome(within: longestWait).status
    } catch {
      Issue.record(error)
      return -1
    }
  }

  /// Asks the process to end and returns its exit status.
  func stop() -> Int32 {
    askToEnd()
    return waitForEnd()
  }
}
