#if canImport(FoundationNetworking)
public import class FoundationNetworking.URLAuthenticationChallenge
public import class FoundationNetworking.URLSessionConfiguration
public import struct FoundationNetworking.URLRequest
#else
public import class Foundation.URLAuthenticationChallenge
public import class Foundation.URLSessionConfiguration
public import struct Foundation.URLRequest
#endif

/// What an app can choose about its store.
public struct SeedOptions: Sendable {
  /// Called with the phases of every update, on a thread of the library's; see ``SeedStore/updatePhases(_:)``.
  public var onPhase: @Sendable (UpdatePhase) -> Void = { _ in }
  /// Takes what the store has to tell its app's developers. Unless set, entries go to the system's log on Apple's
  /// platforms, by `os.Logger` with the subsystem `seedbank`, and nowhere elsewhere.
  public var log: @Sendable (SeedLogEntry) -> Void = SeedLog.toSystem
  /// How long downloads may take.
  public var timeouts = DownloadTimeouts()

  /// Seconds after which a look that finds nothing new asks whether the publisher's keys have changed, which takes one
  /// request more. Before anything new is taken, that is asked in any case. 0 asks at every look.
  public var rootCheckSeconds = 3600

  /// Changes the configuration of the store's own URLSession, once, before its first request: further headers, a
  /// proxy, or protocol classes that play server in an app's tests.
  ///
  /// Caches, cookies and content codings stay off, whatever it sets.
  public var configureSession: @Sendable (URLSessionConfiguration) -> Void = { _ in }

  /// Changes each request before it is sent, on a thread of the library's: for a token that is renewed, in a header or in
  /// the address's query. What it adds stands in no message and no log.
  ///
  /// A server that refuses what it adds ends the update with ``SeedError/Code/accessDenied``. The answer to a request must
  /// stay the publication's file of that name; the fields of ranges and conditions are the library's own.
  public var prepareRequest: @Sendable (inout URLRequest) -> Void = { _ in }

  /// Answers a server's challenges, on a thread of the library's: to judge its certificate, or to give a credential.
  ///
  /// A credential that did not help is asked for again, with a `previousFailureCount` above 0. On Linux only questions for
  /// credentials come here (HTTP's status 401 without a body), and never a certificate.
  public var answerChallenge: @Sendable (URLAuthenticationChallenge) -> ChallengeAnswer = { _ in .system }

  /// Recomputes the digest from all rows of a new snapshot before it is used. The snapshot's bytes are compared with the signed hash in
  /// any case, so this only finds a publisher that signed a damaged file. It multiplies the time of a first start:
  /// meant for servers, and on in `seedbank pull` and for bundles.
  public var provesRows = false

  /// How many changed keys an element of `changes` has for each table at most; none unless this is raised.
  ///
  /// A table with more changed rows than this yields counts alone.
  public var changedKeyLimit = 0

  /// How the system protects the store's files while the device is locked; `nil` leaves that to the volume.
  ///
  /// Works on Apple's mobile systems alone, and is set when the directory is made. Anything stricter than
  /// ``FileProtection/afterFirstUnlock`` keeps background tasks from updating on a locked device.
  public var fileProtection: FileProtection? = .afterFirstUnlock

  /// Leaves the store out of the user's backups: what can be downloaded again has no place there, and app reviews
  /// insist on it. Works on Apple's systems alone.
  public var isExcludedFromBackup = true

  /// Refuses a directory that holds another major of the dataset: an app that ships a new major takes its own
  /// directory over, but a tool that is told the wrong directory must not.
  package var isBoundToMajor = false

  /// The defaults.
  public init() {}

  /// When the files can be read on a device that has a passcode.
  public enum FileProtection: Hashable, Sendable {
    /// From the first unlocking after a start on.
    case afterFirstUnlock
    /// While the device is unlocked; a file that was open before can be used on.
    case unlessOpen
    /// While the device is unlocked. SQLite's statements then fail as soon as it is locked.
    case whileUnlocked
  }
}

/// How long a download may take before it counts as failed. Time in which the device sleeps does not count.
public struct DownloadTimeouts: Hashable, Sendable {
  /// The time in which ``minimumBytes`` must arrive, again and again until a file is complete.
  public var window = Duration.seconds(30)
  /// Bytes that must arrive in each window; the default is slower than any network that is of use.
  public var minimumBytes = 8 * 1024
  /// The time that one file has altogether, all attempts included.
  public var total = Duration.seconds(6 * 3600)

  /// The defaults.
  public init() {}
}

/// What an update may use and download.
public struct UpdatePolicy: Hashable, Sendable {
  /// Whether it may use networks that cost money, such as mobile ones. On Linux, which does not tell, it always may.
  public var allowsExpensive: Bool
  /// Whether it may use networks that the user asked apps to spare (Low Data Mode). On Linux it always may.
  public var allowsConstrained: Bool
  /// Bytes of snapshots and deltas that it may download; all if `nil`. An update that needs more fails with
  /// ``SeedError/Code/tooLarge`` before it downloads any of them.
  public var maximumBytes: Int?

  /// A policy; by default everything is allowed, as for an update that the user asked for.
  public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true, maximumBytes: Int? = nil) {
    (self.allowsExpensive, self.allowsConstrained) = (allowsExpensive, allowsConstrained)
    self.maximumBytes = maximumBytes
  }

  /// For updates that nobody waits for: they spare the networks that the user asked to spare.
  public static let background = UpdatePolicy(allowsConstrained: false)
}
