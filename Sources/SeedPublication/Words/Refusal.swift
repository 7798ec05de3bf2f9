/// Why a command fails: an exit code, and a sentence that gives the value found, the value expected and the remedy.
package struct Refusal: Error, Hashable {
  package let exitCode: ExitCode
  package let message: String
  /// Whether the printed result already reports the failure.
  package let isInResult: Bool

  package init(_ exitCode: ExitCode, _ message: String, isInResult: Bool = false) {
    (self.exitCode, self.message, self.isInResult) = (exitCode, message, isInResult)
  }
}

/// The process's exit status; numbers above 2 follow sysexits.h.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  /// Used only by `status --check`: clients cannot use the publication.
  case critical = 2
  case usage = 64
  /// The data is wrong, or a series or dataset is held back.
  case badData = 65
  /// The origin or server does not respond.
  case unavailable = 69
  /// Used only before a command begins, because its arguments cannot be read.
  case system = 71
  case inputOutput = 74
  /// Another process holds the lock; a retry may succeed.
  case locked = 75
  case configuration = 78

  package var meaning: String {
    switch self {
    case .success: "done"
    case .failure: "failed for a reason without a code; with status --check: a warning"
    case .critical: "only with status --check: clients cannot use the publication, or it cannot be read"
    case .usage: "the command line is wrong"
    case .badData:
      "the data, an origin's file or a publication is wrong, or something is held back: a table lost many rows or "
        + "values, or a rollback holds a series"
    case .unavailable: "the origin or the server does not answer"
    case .system: "/proc, where Linux keeps the command's arguments, is not mounted"
    case .inputOutput: "a disk, a file or a stream failed"
    case .locked:
      "another process (a publisher or an updating store) is using the same files: try again later"
    case .configuration: "the configuration, a model or a key is wrong"
    }
  }
}
