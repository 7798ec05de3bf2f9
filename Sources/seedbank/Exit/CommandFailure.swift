/// Why a command ended without its result, or with a result that tells of something wrong.
struct CommandFailure: Error, Hashable {
  let exitCode: ExitCode
  /// One sentence: which file or parameter, what was found, what was expected, what to do.
  let message: String
  /// Whether the result, which was printed before, tells of it already.
  let isInResult: Bool

  init(_ exitCode: ExitCode, _ message: String, isInResult: Bool = false) {
    self.exitCode = exitCode
    self.message = message
    self.isInResult = isInResult
  }
}
