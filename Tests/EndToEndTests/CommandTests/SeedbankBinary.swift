import Foundation
import Support

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

  static func commands() throws -> [String] {
    try run(["help"]).output.matches(of: #/(?m)^  ([a-z][a-z-]*) /#).map { String($0.output.1) }
  }

  static func help(_ command: String, _ title: String) throws -> [Substring] {
    let section = try run(["help", command]).output.components(separatedBy: "\n\n")
      .first { $0.hasPrefix("\(title):\n") }
    return section?.split(separator: "\n").dropFirst().map(\.self) ?? []
  }
}
