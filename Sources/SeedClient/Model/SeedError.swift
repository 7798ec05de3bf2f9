import SeedDatabase
public import SeedFormat
import SeedSystem
import SeedTrust

public import protocol Foundation.LocalizedError

/// An operation's failure: the only error this library throws. The existing data stays intact.
///
/// ```swift
/// do { try await seeds.update() } catch { show(SeedError(error).code) }
/// ```
///
/// In addition, ``SeedStore/read(_:)`` and `observe` with a closure rethrow their closures' errors.
public struct SeedError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error; stable across releases.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `storeLocked`.
    public let description: String

    private init(_ name: String) { description = name }

    /// The server is unreachable, or the connection broke and retries failed.
    public static let network = Code("network")
    /// The update's policy forbids the current network: retry on another one (Apple platforms only).
    public static let waitingForNetwork = Code("waitingForNetwork")
    /// The response came from a server without the publication, a malfunctioning server, or a network's sign-in page.
    public static let server = Code("server")
    /// The app's ``SeedOptions/answerChallenge`` rejected the server's certificate.
    public static let serverRefused = Code("serverRefused")
    /// A token from ``SeedOptions/prepareRequest`` or another credential is missing, wrong or expired.
    public static let accessDenied = Code("accessDenied")
    /// The server asked clients to wait; ``SeedError/retryAfter`` is the delay, if known.
    public static let serverBusy = Code("serverBusy")
    /// The download was too slow.
    public static let timedOut = Code("timedOut")
    /// The server lacks a file listed in signed metadata.
    public static let missingFile = Code("missingFile")
    /// The server's metadata is not signed by trusted keys, or contradicts itself.
    public static let untrusted = Code("untrusted")
    /// The server's metadata has expired: the publisher is down, or this device's clock is wrong.
    public static let stale = Code("stale")
    /// The publisher has older data than this device, perhaps after restoring a backup.
    public static let rolledBack = Code("rolledBack")
    /// The publisher no longer supports the app's model. The app needs ``SeedError/oldestModel`` or later.
    public static let clientTooOld = Code("clientTooOld")
    /// No published data fits the app's model.
    public static let noCompatibleModel = Code("noCompatibleModel")
    /// The app's schema differs from the publisher's for the same model version.
    public static let modelMismatch = Code("modelMismatch")
    /// The series has ended and has no files to download.
    public static let retired = Code("retired")
    /// No published files can update this device's data to the newest version.
    public static let versionGone = Code("versionGone")
    /// The newest version can be reached only through data that failed on this device before or was rolled back.
    public static let rejected = Code("rejected")
    /// A downloaded or local file does not match its signed hash.
    public static let damaged = Code("damaged")
    /// The app's bundled seed cannot be used.
    public static let bundle = Code("bundle")
    /// The update would download ``SeedError/neededBytes``, more than its policy allows.
    public static let tooLarge = Code("tooLarge")
    /// Not enough disk space: compare ``SeedError/neededBytes`` and ``SeedError/availableBytes``.
    public static let insufficientSpace = Code("insufficientSpace")
    /// Another store updates the same directory.
    public static let storeLocked = Code("storeLocked")
    /// The store was closed.
    public static let closed = Code("closed")
    /// The store is read-only, and the operation would change its data.
    public static let readOnly = Code("readOnly")
    /// The store is read-only and has no data yet.
    public static let noData = Code("noData")
    /// There is no earlier data to roll back to.
    public static let noPrevious = Code("noPrevious")
    /// The connection to which the app attaches a seed is unsuitable.
    public static let connection = Code("connection")
    /// The store is suspended, or was suspended during the operation.
    public static let suspended = Code("suspended")
    /// An invalid server address, root or folder URL, or a root or directory of another publisher or dataset.
    public static let configuration = Code("configuration")
    /// A file or folder of the store could not be read or written.
    public static let io = Code("io")
    /// The app's query failed, or is not a single read-only statement with a value for each parameter.
    public static let query = Code("query")
    /// A row does not fit the requested type; the message names the column, the row and both types.
    public static let decoding = Code("decoding")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
  }

  /// The kind of error.
  public internal(set) var code: Code
  /// One sentence: what failed, on which file or server, why, and the remedy if known.
  public internal(set) var message: String
  /// Bytes that the update needs, if they exceed the disk space or the policy's limit.
  public let neededBytes: Int?
  /// Bytes available on the disk or allowed by the policy.
  public let availableBytes: Int?
  /// The delay that the server asked for.
  public let retryAfter: Duration?
  /// The oldest published model, if the app's is older.
  public let oldestModel: ModelVersion?

  package init(
    _ code: Code, _ message: String, neededBytes: Int? = nil, availableBytes: Int? = nil,
    retryAfter: Duration? = nil, oldestModel: ModelVersion? = nil
  ) {
    (self.code, self.message, self.retryAfter, self.oldestModel) = (code, message, retryAfter, oldestModel)
    (self.neededBytes, self.availableBytes) = (neededBytes, availableBytes)
  }

  /// Whether the same app may succeed if it retries later, for example after a cancellation.
  public var isRetryable: Bool {
    ![
      .clientTooOld, .retired, .modelMismatch, .configuration, .noPrevious, .query, .decoding, .closed,
      .readOnly,
    ].contains(code)
  }

  /// Same as `message`.
  public var description: String { message }

  /// The message, for `localizedDescription`. It is in English and for developers.
  public var errorDescription: String? { message }

  static let suspended = SeedError(.suspended, "the store is suspended: call resume() first")
  package static let closed = SeedError(.closed, "the store was closed: create a new one")

  /// The remedy for a file that does not match its signature.
  static let verifyOnServer = "`seedbank verify` on the server lists damaged files, each with a remedy"

  static func readOnly(_ directory: String) -> SeedError {
    SeedError(.readOnly, "this store is read-only: use the store that updates \(directory)")
  }
}

// MARK: Translation

protocol SeedErrorConvertible: Error { var seedError: SeedError { get } }

extension SeedError {
  /// Converts any error that this library can throw, so that `SeedError(error).code` works in every `catch`.
  public init(_ error: any Error) {
    switch error {
    case let error as SeedError: self = error
    case let error as any SeedErrorConvertible: self = error.seedError
    case is CancellationError: self.init(.cancelled, "the task was cancelled")
    case let error as TrustError: self.init(error.code, error.description)
    case let error as FileError where error.isFull: self = .full(error.description)
    case let error as FileError: self.init(.io, "\(error): \(error.advice)")
    case let error as DatabaseError: self.init(error)
    case is NotASeed, is ForeignDefinition, is CompressionError, is ApplyError, is ImportError,
      is SchemaProblem,
      is InvalidText, is InvalidName:
      self.init(.damaged, String(describing: error))
    default: self.init(.io, String(describing: error))
    }
  }

  private init(_ error: DatabaseError) {
    switch error.primaryCode {
    case ResultCode.full where error.place == .scratch:
      self.init(
        .insufficientSpace,
        "\(error): SQLite needs more space for temporary files; free some in TMPDIR, or set TMPDIR to another folder"
      )
    case ResultCode.full: self = .full(error.description)
    case ResultCode.cannotOpen where error.saysExhausted:
      self.init(.io, "\(error): \(FileError.exhaustedRemedy)")
    case ResultCode.corrupt, ResultCode.notADatabase: self.init(.damaged, error.description)
    case ResultCode.denied, ResultCode.readOnly, ResultCode.cannotOpen:
      self.init(.io, "\(error): \(Self.rightsAdvice)")
    case ResultCode.io: self.init(.io, "\(error): \(Self.diskAdvice)")
    default: self.init(.io, error.description)
    }
  }

  fileprivate static let diskAdvice = "try again, and check the disk if this keeps happening"
  /// Reading may need write permission too, because SQLite writes files beside a database that it only reads.
  fileprivate static let rightsAdvice =
    "let this app read and write the store's directory, or unlock the device"

  /// A write found no space; the needed amount is unknown.
  private static func full(_ message: String) -> SeedError {
    SeedError(.insufficientSpace, "\(message): free some space and try again")
  }
}

extension TrustError {
  var code: SeedError.Code {
    switch self {
    case .expired: .stale
    case .missingFile: .missingFile
    case .conflict: .rolledBack
    // If a publication lacks the series, it has no role with the series' name.
    case .missingRole(let role, _) where SeedSeries(roleName: role) != nil: .noCompatibleModel
    default: .untrusted
    }
  }
}

extension FileError {
  fileprivate var advice: String {
    if isUnwritable { return SeedError.rightsAdvice }
    if isExhausted { return Self.exhaustedRemedy }
    if isMisplaced { return "give the store a directory of its own" }
    return SeedError.diskAdvice
  }
}
