import Foundation
import Support

/// A `seedbank run` or `seedbank serve` of a test's own, ended with its owner.
final class RunningSeedbank {
  /// `http://127.0.0.1:<port>`, read from the process's own output.
  let address: String
  private let process = Process()
  private let outputPath: String
  private let errorsPath: String

  /// How long a start may take before the test gives up; no figure of the product.
  private static let patience: TimeInterval = 120

  /// Starts the command on a port that the system chooses, and waits until it says that it listens. A
  /// `launcher` is a program with its arguments that becomes the command, such as a tracer.
  init(
    _ arguments: [String], in directory: String, environment: [String: String] = [:], launcher: [String] = []
  ) throws {
    outputPath = "\(directory)/\(UUID().uuidString).out"
    errorsPath = outputPath + ".errors"
    for path in [outputPath, errorsPath] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.executableURL = launcher.first.map { URL(fileURLWithPath: $0) } ?? SeedbankBinary.url
    process.arguments =
      launcher.isEmpty ? arguments : launcher.dropFirst() + [SeedbankBinary.url.path] + arguments
    process.environment = environment
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorsPath))
    try ProcessGuard.run(process)
    let (process, outputPath) = (process, outputPath)
    do {
      address = try eventually("the server listens", within: Self.patience) {
        guard process.isRunning else { throw Stopped(status: process.terminationStatus) }
        let line = try String(contentsOfFile: outputPath, encoding: .utf8).split(separator: "\n").first {
          $0.hasPrefix("listening on ")
        }
        return line.map { String($0.dropFirst("listening on ".count)) }
      }
    } catch {
      // An initialiser that throws runs no deinitialiser.
      if process.isRunning { process.terminate() }
      throw error
    }
  }

  /// The process ended before it listened.
  struct Stopped: Error {
    let status: Int32
  }

  /// The port of its address.
  var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
  /// The process's number.
  var identifier: Int32 { process.processIdentifier }

  /// What the process has printed so far.
  var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
  /// What it has said beside that.
  var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }

  /// Asks the process to end.
  func askToEnd() { if process.isRunning { process.terminate() } }

  /// Waits for the process's end and returns its exit status. One that does not end is killed, and its status says so.
  func waitForEnd() -> Int32 {
    process.waitForEnd()
    return process.terminationStatus
  }

  /// Asks the process to end and returns its exit status.
  func stop() -> Int32 {
    askToEnd()
    return waitForEnd()
  }

  deinit { if process.isRunning { process.terminate() } }
}
