import SeedFormat

/// How commands tell what an examination found.
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
  /// The command's end where something is wrong; the findings themselves were told before.
  func checkSound() throws(CommandFailure) {
    let count = count { $0.severity == .error }
    guard count > 0 else { return }
    throw CommandFailure(
      .badData, "\(count == 1 ? "1 thing is" : "\(count) things are") wrong, see above.", isInResult: true)
  }
}
