import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedServer
import SeedTrust

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
    default:
      let known = Self.exitCode(of: error)
      exitCode = known ?? .failure
      message = known == nil ? "\(error)" : Self.sentence("\(error)")
    }
  }

  /// For the errors of the libraries, which describe themselves.
  private static func exitCode(of error: any Error) -> ExitCode? {
    switch error {
    case is DatabaseError, is FileError, is FileFailure: .inputOutput
    case let error as OriginError: error.isUnavailable ? .unavailable : .badData
    case is HTTPServerError: .unavailable
    case is PlanError, is SchemaProblem: .configuration
    case let error as KeyFileError: exitCode(of: error)
    case PublicationError.locked: .locked
    case is ImportError, is InvalidText, is InvalidName, is TrustError, is PublicationError: .badData
    default: nil
    }
  }

  /// A key that is missing, malformed or in the way is the deployment's; the rest is the disk's.
  private static func exitCode(of error: KeyFileError) -> ExitCode {
    if case .system = error { .inputOutput } else { .configuration }
  }

  private static func sentence(_ description: String) -> String {
    let text = description.prefix(1).uppercased() + description.dropFirst()
    return text.hasSuffix(".") ? text : "\(text)."
  }
}
