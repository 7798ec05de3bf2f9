import Support

import class Foundation.Bundle
import struct Foundation.TimeInterval

/// The built command, beside the test bundle.
enum SeedbankBinary {
  /// Where the products are: the test bundle is a file among them.
  static let folder = Bundle.main.bundlePath
  static let path = "\(folder)/seedbank"

  /// Runs the command to its end, with no variables but these.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in directory: String? = nil
  ) throws -> ProgramOutcome {
    try TestProgram.run(
      [path] + arguments, in: directory, environment: environment, isBare: true, within: longestWait)
  }
}
