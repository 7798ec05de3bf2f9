public import SeedFormat

/// Why something could not be done. The data that was there before is still there.
public struct SeedError: Error, Hashable, Sendable {
  /// The kind of an error, stable over releases.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case network, waitingForNetwork, server, serverBusy, timedOut, missingFile
      case untrusted, stale, rolledBack, clientTooOld, noCompatibleModel, modelMismatch, retired, versionGone
      case rejected, damaged, bundle, tooLarge, insufficientSpace, storeLocked, noPrevious, connection,
        suspended
      case configuration, io, query, cancelled
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The server cannot be reached, or the connection broke and further attempts did not help.
    public static let network = Code(.network)
    /// The update's policy forbids the network that there is: it waits for a better one (Apple platforms).
    public static let waitingForNetwork = Code(.waitingForNetwork)
    /// Something answers that is not the publication's server as it should be: its operator, or a sign-in page.
    public static let server = Code(.server)
    /// The server asks to be left alone for a while; ``SeedError/retryAfter`` says how long, if it did.
    public static let serverBusy = Code(.serverBusy)
    /// The bytes came too slowly.
    public static let timedOut = Code(.timedOut)
    /// The server lacks a file that signed metadata promises.
    public static let missingFile = Code(.missingFile)
    /// The server's metadata is not signed by those whom the app trusts, or contradicts itself.
    public static let untrusted = Code(.untrusted)
    /// The server's metadata is too old: its publisher is down, or this device's clock is wrong.
    public static let stale = Code(.stale)
    /// The publisher is behind this device: it seems to come from an old backup.
    public static let rolledBack = Code(.rolledBack)
    /// The publisher no longer supports the app's model: a newer release of the app is needed, with
    /// ``SeedError/oldestModel`` at least.
    public static let clientTooOld = Code(.clientTooOld)
    /// Nothing that the app's model could open is published.
    public static let noCompatibleModel = Code(.noCompatibleModel)
    /// The app's schema is not the one that the publisher has for the same model version.
    public static let modelMismatch = Code(.modelMismatch)
    /// The series has ended, and nothing of it is left to download.
    public static let retired = Code(.retired)
    /// Neither deltas nor a snapshot lead from here to the newest version.
    public static let versionGone = Code(.versionGone)
    /// All that leads to the newest version was tried on this device and taken back.
    public static let rejected = Code(.rejected)
    /// A file is not what signed metadata says, whether it was downloaded or on this device.
    public static let damaged = Code(.damaged)
    /// The seed that the app brought along cannot be used.
    public static let bundle = Code(.bundle)
    /// The update would download more than its policy allows; ``SeedError/neededBytes`` says how much.
    public static let tooLarge = Code(.tooLarge)
    /// There is no room for the new data; ``SeedError/neededBytes`` and ``SeedError/availableBytes`` say how much.
    public static let insufficientSpace = Code(.insufficientSpace)
    /// Another store writes to the same directory.
    public static let storeLocked = Code(.storeLocked)
    /// There is no generation to go back to.
    public static let noPrevious = Code(.noPrevious)
    /// A connection that the app lent, or to which a seed is to be attached, cannot do what it is needed for.
    public static let connection = Code(.connection)
    /// The store is suspended, or was while this was under way.
    public static let suspended = Code(.suspended)
    /// What the store was made with does not fit: its server's address, its root, a folder that is none, or a directory
    /// that holds another dataset.
    public static let configuration = Code(.configuration)
    /// A file or folder of the store could not be read or written.
    public static let io = Code(.io)
    /// The app's own query failed, or is not one statement that only reads, with a value for each parameter.
    public static let query = Code(.query)
    /// The task was cancelled.
    public static let cancelled = Code(.cancelled)
  }

  /// The kind.
  public let code: Code
  /// One sentence: what was asked of what, what was found, and what to do where that is known.
  public let message: String

  /// Bytes that are needed, where an update needs more than there are, on the disk or by its policy.
  public let neededBytes: Int?
  /// Bytes that there are.
  public let availableBytes: Int?
  /// How long the server asks to be left alone.
  public let retryAfter: Duration?
  /// The oldest model that is still published, where the app's own is older than that.
  public let oldestModel: ModelVersion?

  init(
    _ code: Code, _ message: String, neededBytes: Int? = nil, availableBytes: Int? = nil,
    retryAfter: Duration? = nil, oldestModel: ModelVersion? = nil
  ) {
    self.code = code
    self.message = message
    self.neededBytes = neededBytes
    self.availableBytes = availableBytes
    self.retryAfter = retryAfter
    self.oldestModel = oldestModel
  }

  /// Whether trying again later, with the same app, may succeed.
  public var isRetryable: Bool {
    ![.clientTooOld, .retired, .modelMismatch, .configuration, .noPrevious, .query, .cancelled]
      .contains(code)
  }
}

extension SeedError {
  /// The same in other words, or of another kind.
  func with(_ code: Code, _ message: String) -> SeedError {
    SeedError(
      code, message, neededBytes: neededBytes, availableBytes: availableBytes, retryAfter: retryAfter,
      oldestModel: oldestModel)
  }

  static let suspended = SeedError(.suspended, "the store is suspended: call resume() first")
}

extension SeedError.Code: CustomStringConvertible {
  /// The code's name, such as `storeLocked`.
  public var description: String { kind.rawValue }
}

extension SeedError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
