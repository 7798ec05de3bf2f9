import SeedClient
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
    case let error as SeedError: (exitCode, message) = (ExitCode(error.code), error.message.asSentence)
    default:
      let known = Self.exitCode(of: error)
      exitCode = known ?? .failure
      message = known == nil ? "\(error)" : "\(error)".asSentence
    }
  }

  /// For the errors of the libraries, which describe themselves.
  private static func exitCode(of error: any Error) -> ExitCode? {
    switch error {
    case is DatabaseError, is FileError, is FileFailure: .inputOutput
    case let error as OriginError: originCode(error)
    case is HTTPServerError: .unavailable
    case is PlanError, is SchemaProblem: .configuration
    case let error as KeyFileError: keyFileCode(error)
    case PublicationError.locked: .locked
    case is ImportError, is InvalidText, is InvalidName, is TrustError, is PublicationError: .badData
    case is RecallError, is RollbackError, is NotASeed, is ApplyError, is CompressionError: .badData
    default: nil
    }
  }

  private static func originCode(_ error: OriginError) -> ExitCode {
    error.isUnavailable ? .unavailable : error.isConfiguration ? .configuration : .badData
  }

  /// A key that is missing, malformed or in the way is the deployment's; the rest is the disk's.
  private static func keyFileCode(_ error: KeyFileError) -> ExitCode {
    if case .system(let failure) = error, !failure.isMissing { .inputOutput } else { .configuration }
  }
}

extension ExitCode {
  /// What a script should do about an error of the client.
  private static let ofClientErrors: [SeedError.Code: ExitCode] = [
    .network: .unavailable, .waitingForNetwork: .unavailable, .server: .unavailable,
    .serverBusy: .unavailable,
    .timedOut: .unavailable, .missingFile: .unavailable, .tooLarge: .failure, .io: .inputOutput,
    .insufficientSpace: .inputOutput, .storeLocked: .locked,
    .cancelled: .failure, .query: .failure, .configuration: .configuration,
  ]

  /// Everything else is data that is refused.
  fileprivate init(_ code: SeedError.Code) { self = Self.ofClientErrors[code] ?? .badData }
}

extension String {
  /// With a capital and a full stop, as the other messages have.
  fileprivate var asSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
