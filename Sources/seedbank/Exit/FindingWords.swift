import SeedFormat

extension Finding {
  /// `error: CURRENT: what is wrong; what to do`.
  var line: String { "\(severity.rawValue): \(path): \(problem); \(remedy)" }

  /// The same for `--json`.
  var json: JSONValue {
    [
      "severity": .string(severity.rawValue), "path": .string(path), "problem": .string(problem),
      "remedy": .string(remedy),
    ]
  }
}

extension [Finding] {
  /// Fails the command if there is an error among the findings, which were printed before.
  func checkSound() throws(CommandFailure) {
    let count = count { $0.severity == .error }
    guard count > 0 else { return }
    throw CommandFailure(
      .badData, "\(count == 1 ? "1 error was" : "\(count) errors were") found, see above.", isInResult: true)
  }
}
