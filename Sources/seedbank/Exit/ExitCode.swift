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

  /// As help says it.
  var meaning: String {
    switch self {
    case .success: "done"
    case .failure: "failed for a reason that has no code of its own; of status --check, a warning"
    case .critical: "only of status --check: clients cannot use what is published, or it cannot be read"
    case .usage: "the command line is wrong"
    case .badData:
      "the data, an origin's file or a publication is wrong, or something is held back: a table lost many rows or "
        + "values, or a rollback holds a series"
    case .unavailable: "the origin or the server does not answer"
    case .inputOutput: "a disk, a file or a stream failed"
    case .locked:
      "another process is at work on the same files, a publisher or a store that updates: try again later"
    case .configuration: "the configuration, a model or a key is wrong"
    }
  }
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
