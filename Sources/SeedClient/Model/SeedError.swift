import SeedDatabase
public import SeedFormat
import SeedSystem
import SeedTrust

public import protocol Foundation.LocalizedError

/// Why something could not be done. The data that was there before is still there.
public struct SeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error, stable over releases.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `storeLocked`.
    public let description: String

    private init(_ name: String) { description = name }

    /// The server cannot be reached, or the connection broke and further attempts did not help.
    public static let network = Code("network")
    /// The update's policy forbids the network that there is: it waits for a better one (Apple platforms).
    public static let waitingForNetwork = Code("waitingForNetwork")
    /// The server is not the publication's, or does not work properly; or it is a network's sign-in page.
    public static let server = Code("server")
    /// The app refused the server by ``SeedOptions/answerChallenge``: its certificate is not the one that is pinned.
    public static let serverRefused = Code("serverRefused")
    /// The server does not let this app download: a token of ``SeedOptions/prepareRequest``, or another credential, is
    /// missing, wrong or expired.
    public static let accessDenied = Code("accessDenied")
    /// The server asks clients to wait; ``SeedError/retryAfter`` says how long, if it did.
    public static let serverBusy = Code("serverBusy")
    /// The bytes came too slowly.
    public static let timedOut = Code("timedOut")
    /// The server lacks a file that signed metadata promises.
    public static let missingFile = Code("missingFile")
    /// The server's metadata is not signed by keys that the app trusts, or contradicts itself.
    public static let untrusted = Code("untrusted")
    /// The server's metadata has expired: its publisher is down, or this device's clock is wrong.
    public static let stale = Code("stale")
    /// The publisher is behind this device: it seems to come from an old backup.
    public static let rolledBack = Code("rolledBack")
    /// The publisher no longer supports the app's model: a newer release of the app is needed, with
    /// ``SeedError/oldestModel`` at least.
    public static let clientTooOld = Code("clientTooOld")
    /// Nothing that the app's model could open is published.
    public static let noCompatibleModel = Code("noCompatibleModel")
    /// The app's schema is not the one that the publisher has for the same model version.
    public static let modelMismatch = Code("modelMismatch")
    /// The series has ended, and nothing of it is left to download.
    public static let retired = Code("retired")
    /// No snapshot and no deltas lead from this device's data to the newest version.
    public static let versionGone = Code("versionGone")
    /// All that leads to the newest version failed on this device before, or was rolled back there.
    public static let rejected = Code("rejected")
    /// A file is not what was signed, whether it was downloaded or on this device.
    public static let damaged = Code("damaged")
    /// The seed that the app brought along cannot be used.
    public static let bundle = Code("bundle")
    /// The update would download more than its policy allows; ``SeedError/neededBytes`` says how much.
    public static let tooLarge = Code("tooLarge")
    /// There is no room for the new data; ``SeedError/neededBytes`` and ``SeedError/availableBytes`` say how much.
    public static let insufficientSpace = Code("insufficientSpace")
    /// Another store writes to the same directory.
    public static let storeLocked = Code("storeLocked")
    /// The store was closed.
    public static let closed = Code("closed")
    /// The store only reads, and this would change its data.
    public static let readOnly = Code("readOnly")
    /// There is no data yet, and the store only reads.
    public static let noData = Code("noData")
    /// There is no earlier data to roll back to.
    public static let noPrevious = Code("noPrevious")
    /// A connection that the app lent, or to which a seed is to be attached, cannot be used for that.
    public static let connection = Code("connection")
    /// The store is suspended, or was while this was under way.
    public static let suspended = Code("suspended")
    /// The server's address, the root, a URL that is no folder, or a directory of another dataset is at fault.
    public static let configuration = Code("configuration")
    /// A file or folder of the store could not be read or written.
    public static let io = Code("io")
    /// The app's own query failed, or is not one statement that only reads, with a value for each parameter.
    public static let query = Code("query")
    /// A row does not fit the type that it was to become; the message names the column, the row and both types.
    public static let decoding = Code("decoding")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
  }

  /// The kind.
  public internal(set) var code: Code
  /// One sentence: what failed, on which file or server, why, and what to do where that is known.
  public internal(set) var message: String
  /// Bytes that are needed, where an update needs more than there are, on the disk or by its policy.
  public let neededBytes: Int?
  /// Bytes that are available, on the disk or by the policy.
  public let availableBytes: Int?
  /// How long the server asks to wait.
  public let retryAfter: Duration?
  /// The oldest model that is still published, where the app's own is older than that.
  public let oldestModel: ModelVersion?

  /// An error in this module's own words.
  package init(
    _ code: Code, _ message: String, neededBytes: Int? = nil, availableBytes: Int? = nil,
    retryAfter: Duration? = nil, oldestModel: ModelVersion? = nil
  ) {
    (self.code, self.message, self.retryAfter, self.oldestModel) = (code, message, retryAfter, oldestModel)
    (self.neededBytes, self.availableBytes) = (neededBytes, availableBytes)
  }

  /// Whether trying again later, with the same app, may succeed.
  public var isRetryable: Bool {
    ![
      .clientTooOld, .retired, .modelMismatch, .configuration, .noPrevious, .query, .decoding, .cancelled,
      .closed, .readOnly,
    ].contains(code)
  }

  /// The message.
  public var description: String { message }

  static let suspended = SeedError(.suspended, "the store is suspended: call resume() first")
  package static let closed = SeedError(.closed, "the store was closed: make another one")

  static func readOnly(_ directory: String) -> SeedError {
    SeedError(.readOnly, "this store only reads \(directory): let the store that updates it do that")
  }

  static func noData(_ directory: String) -> SeedError {
    SeedError(
      .noData,
      "there is no data in \(directory) yet, and this store only reads: let the store that updates it run first"
    )
  }
}

extension SeedError: LocalizedError {
  /// The message, as `localizedDescription` has it. It is for developers, and in English.
  public var errorDescription: String? { message }
}

// MARK: Translation

/// An error of this module that knows which error an app gets instead.
protocol SeedErrorConvertible: Error { var seedError: SeedError { get } }

extension SeedError {
  /// The one place where other errors become errors that an app catches.
  package init(_ error: any Error) {
    switch error {
    case let error as SeedError: self = error
    case let error as any SeedErrorConvertible: self = error.seedError
    case is CancellationError: self.init(.cancelled, "the task was cancelled")
    case let error as TrustError: self.init(error.code, error.description)
    case let error as FileError where error.isFull: self = .full(error.description)
    case let error as FileError: self.init(.io, "\(error): \(error.advice)")
    case let error as DatabaseError: self.init(error)
    case is NotASeed, is ForeignIndex, is CompressionError, is ApplyError, is ImportError, is SchemaProblem,
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
        "\(error): SQLite's scratch files have no room; make some in the folder that TMPDIR names, or name another there"
      )
    case ResultCode.full: self = .full(error.description)
    case ResultCode.corrupt, ResultCode.notADatabase: self.init(.damaged, error.description)
    case ResultCode.io: self.init(.io, "\(error): \(Self.diskAdvice)")
    default: self.init(.io, error.description)
    }
  }

  fileprivate static let diskAdvice = "try again, and check the disk if this keeps happening"

  /// A write that found no room; nobody knows how much would have been enough.
  private static func full(_ message: String) -> SeedError {
    SeedError(.insufficientSpace, "\(message): make room and try again")
  }
}

extension TrustError {
  var code: SeedError.Code {
    switch self {
    case .expired: .stale
    case .missingFile: .missingFile
    case .conflict: .rolledBack
    // A client that asks for a series of another publication finds no role of that name.
    case .missingRole(let role, _) where Series(roleName: role) != nil: .noCompatibleModel
    default: .untrusted
    }
  }
}

extension FileError {
  fileprivate var advice: String {
    if isUnwritable { return "let this app read and write the store's directory, or unlock the device" }
    if isMisplaced { return "give the store a directory of its own" }
    return SeedError.diskAdvice
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
