import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

extension SeedError {
  /// The one place where errors of the modules below become errors that an app catches.
  init(_ error: any Error) {
    switch error {
    case let error as SeedError: self = error
    case is CancellationError: self.init(.cancelled, "the task was cancelled")
    case let error as TransportError: self.init(error)
    case let error as Unobtainable: self.init(error.reason)
    case let error as TrustError: self.init(error)
    case let error as FileError where error.isFull: self = .full(error.description)
    case let error as FileError: self.init(.io, "\(error): \(error.advice)")
    case let error as DatabaseError: self.init(error)
    case is NotASeed, is CompressionError, is ApplyError, is ImportError, is SchemaProblem, is InvalidText,
      is InvalidName, is DeltaMismatch:
      self.init(.damaged, String(describing: error))
    default: self.init(.io, String(describing: error))
    }
  }

  private init(_ error: TransportError) {
    let code: Code =
      switch error {
      case .unreachable: .network
      case .waiting: .waitingForNetwork
      case .status(_, let status, _): Reply.Status.busy.contains(status) ? .serverBusy : .server
      case .otherPart, .changing, .partless, .coded, .webPage: .server
      case .absent: .missingFile
      case .tooLong, .otherLength: .damaged
      case .tooSlow, .tooLate: .timedOut
      }
    self.init(code, error.description, retryAfter: error.retryAfter)
  }

  private init(_ error: TrustError) {
    switch error {
    case .expired: self.init(.stale, error.description)
    case .missingFile: self.init(.missingFile, error.description)
    case .conflict: self.init(.rolledBack, error.description)
    // A client that asks for a series of another publication finds no role of that name.
    case .missingRole(let role, _) where Series(roleName: role) != nil:
      self.init(.noCompatibleModel, error.description)
    default: self.init(.untrusted, error.description)
    }
  }

  private init(_ error: DatabaseError) {
    switch error.primaryCode {
    case ResultCode.full: self = .full(error.description)
    case ResultCode.corrupt, ResultCode.notADatabase: self.init(.damaged, error.description)
    default: self.init(.io, error.description)
    }
  }
}

extension SeedError {
  /// A write that found no room; how much would have been enough is not known.
  private static func full(_ message: String) -> SeedError {
    SeedError(.insufficientSpace, "\(message): make room and try again")
  }

  init(_ refusal: Decision.Refusal) {
    switch refusal {
    case .clientTooOld(_, let oldest):
      self.init(.clientTooOld, refusal.description, oldestModel: oldest)
    case .noCompatibleModel: self.init(.noCompatibleModel, refusal.description)
    case .modelMismatch: self.init(.modelMismatch, refusal.description)
    case .rolledBack: self.init(.rolledBack, refusal.description)
    case .versionGone: self.init(.versionGone, refusal.description)
    case .retired: self.init(.retired, refusal.description)
    case .rejected: self.init(.rejected, refusal.description)
    }
  }
}

extension FileError {
  /// What to do about it.
  fileprivate var advice: String {
    if isUnwritable { return "give the store a directory that this app can write to, or unlock the device" }
    if isMisplaced { return "give the store a directory of its own" }
    return "try again, and look after the disk if it stays"
  }
}

/// Runs `body`; whatever it throws leaves as a ``SeedError``.
func translating<Result>(_ body: () throws -> Result) throws(SeedError) -> Result {
  do {
    return try body()
  } catch {
    throw SeedError(error)
  }
}
