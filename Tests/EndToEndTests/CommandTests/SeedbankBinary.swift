import Support

import class Foundation.Bundle
import class Foundation.FileHandle
import class Foundation.Pipe
import class Foundation.Process
import struct Foundation.URL

/// The built command, beside the test bundle.
enum SeedbankBinary {
  static let url: URL = {
    // On Linux the bundle is a file among the products; on Apple systems the runner is inside the bundle.
    var folder = Bundle.main.bundleURL
    while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("seedbank")
  }()

  /// What a run that ended left behind.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs the command to its end. For small outputs: stdout is read whole before stderr.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in directory: String? = nil
  ) throws -> Outcome {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = url
    process.arguments = arguments
    process.environment = environment
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let texts = [output, errors].map { pipe in
      String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitForEnd()
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
