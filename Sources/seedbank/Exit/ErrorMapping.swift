import SeedClient

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
    case let error as SeedError: (exitCode, message) = (ExitCode(error.code), error.message.asSentence)
    default: (exitCode, message) = (.failure, String(describing: error))
    }
  }
}

extension ExitCode {
  /// What a script should do about an error of the client.
  private static let ofClientErrors: [SeedError.Code: ExitCode] = [
    .network: .unavailable, .io: .inputOutput, .insufficientSpace: .inputOutput, .storeLocked: .locked,
    .cancelled: .failure, .query: .failure,
  ]

  /// Everything else is data that is refused.
  fileprivate init(_ code: SeedError.Code) { self = Self.ofClientErrors[code] ?? .badData }
}

extension String {
  /// With a capital and a full stop, as the other messages have.
  fileprivate var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
