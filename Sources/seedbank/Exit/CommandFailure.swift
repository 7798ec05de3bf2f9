/// Why a command ended without its result.
struct CommandFailure: Error, Hashable {
  let exitCode: ExitCode
  /// One sentence: which file or parameter, what was found, what was expected, what to do.
  let message: String

  init(_ exitCode: ExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }
}
