import SeedHTTP

/// What the operator and the calling script learn of an error.
struct FailureReport: Hashable {
  let exitCode: ExitCode
  let message: String

  /// The one place where kinds of errors become exit codes.
  init(_ error: any Error) {
    switch error {
    case let error as CommandFailure: (exitCode, message) = (error.exitCode, error.message)
    case let error as UsageError: (exitCode, message) = (.usage, error.message)
    case let error as ConfigurationError: (exitCode, message) = (.configuration, error.message)
    case let error as HTTPServerError: (exitCode, message) = (.unavailable, error.sentence)
    default: (exitCode, message) = (.failure, String(describing: error))
    }
  }
}

extension HTTPServerError {
  fileprivate var sentence: String { "\(description.prefix(1).uppercased())\(description.dropFirst())." }
}
