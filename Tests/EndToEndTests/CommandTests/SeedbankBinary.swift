import Support

import class Foundation.Bundle
import struct Foundation.TimeInterval

enum SeedbankBinary {
  /// The folder of the built products, which also contains the test bundle.
  static let folder = Bundle.main.bundlePath
  static let path = "\(folder)/seedbank"

  /// Runs the command to its end, with only these environment variables.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in directory: String? = nil
  ) throws -> ProgramOutcome {
    try TestProgram.run(
      [path] + arguments, in: directory, environment: environment, isBare: true, within: longestWait)
  }
}
