/// The process's exit status; the numbers above 2 are those of sysexits.h.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  /// Only of `status --check`: clients cannot use what is published.
  case critical = 2
  case usage = 64
  /// The data is wrong, or a publication is held back because of it.
  case badData = 65
  /// The origin or the server does not answer.
  case unavailable = 69
  case inputOutput = 74
  /// Another process holds the lock: a later attempt may succeed.
  case locked = 75
  case configuration = 78
}

protocol ReportedError: Error {
  var exitCode: ExitCode { get }
  /// One sentence: which file or parameter, what was found, what was expected, what to do.
  var message: String { get }
}

struct CommandFailure: ReportedError, Hashable {
  let exitCode: ExitCode
  let message: String
  let isInResult: Bool

  init(_ exitCode: ExitCode, _ message: String, isInResult: Bool = false) {
    (self.exitCode, self.message, self.isInResult) = (exitCode, message, isInResult)
  }

  /// Where the result has said everything: no message follows it.
  static func told(_ exitCode: ExitCode) -> CommandFailure {
    CommandFailure(exitCode, "", isInResult: true)
  }
}
