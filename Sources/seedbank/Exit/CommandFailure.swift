/// An error of the command itself, which knows how to end it and what to say.
protocol ReportedError: Error {
  var exitCode: ExitCode { get }
  /// One sentence: which file or parameter, what was found, what was expected, what to do.
  var message: String { get }
}

/// Why a command ended without its result, or with a result that tells of something wrong.
struct CommandFailure: ReportedError, Hashable {
  let exitCode: ExitCode
  let message: String
  /// Whether the result, which was printed before, tells of it already.
  let isInResult: Bool

  init(_ exitCode: ExitCode, _ message: String, isInResult: Bool = false) {
    self.exitCode = exitCode
    self.message = message
    self.isInResult = isInResult
  }
}
