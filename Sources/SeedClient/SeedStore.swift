import SeedSystem
import SeedTrust

public import struct Foundation.Data
public import struct Foundation.URL

/// An app's reference data: stored on this device, verified and updated.
///
/// ```swift
/// let seeds = try SeedStore(.transit, server: url, root: rootJSON, bundle: bundledSeed)
/// Task { try await seeds.keepUpdated() }
/// for try await stops in seeds.observe("SELECT name FROM stop ORDER BY name") { show(stops) }
/// ```
///
/// Only one store per directory can update the data: the first one that does, until it is closed. Updates through
/// other stores, in any process, then fail with ``SeedError/Code/storeLocked``, but these stores can read the data
/// and observe changes. Reads never wait for an update.
public actor SeedStore {
  private static let mostWaitingChanges = 1000
  static let mostWaitingPhases = 32

  /// The model that the app was built for.
  public nonisolated let model: SeedModel
  nonisolated let fileSender = Broadcast<Seed>(mostWaiting: 1, replaysLatest: true)
  nonisolated let changesSender = Broadcast<SeedChanges>(mostWaiting: SeedStore.mostWaitingChanges)
  nonisolated let stateSender = Broadcast<SeedState>(mostWaiting: 1, replaysLatest: true)
  nonisolated let phaseSender = Broadcast<UpdatePhase>(mostWaiting: SeedStore.mostWaitingPhases)
  nonisolated let editionSender = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
  let layout: StoreLayout
  let bundle: BundleFolder?
  /// `nil` for a read-only store.
  let fetcher: Fetcher?
  let writer: StoreWriter
  let environment: Environment
  let onPhase: @Sendable (UpdatePhase) -> Void
  let log: SeedLog
  let updateLock = AsyncLock()
  var isPushPending = false
  var current: Generation?
  var held = HeldGenerations()
  var access = StoreAccess.open
  /// Whether the app wants the store to be suspended; stays true during a background update.
  var isSuspensionWanted = false
  var backgroundUpdates = 0
  nonisolated let accesses = Broadcast<StoreAccess>(mostWaiting: 1, replaysLatest: true)
  var watch: FolderWatch?
  var hasPendingCheck = false
  var isWatchPending = false
  /// Why the last attempt to open the current file failed.
  var damage: String?
  var cancelWork: (@Sendable () -> Void)?
  var isWriting = false
  var hasCheckedBundle = false
  var hasRecord = false
  var hasNotedWaiting = false
  /// Whether a live query found the store suspended and without data.
  var isOpeningAwaited = false

  /// Public as `state`, which loads it first.
  var currentState: SeedState {
    didSet { if currentState != oldValue { stateSender.send(currentState) } }
  }

  /// Creates a store without reading, writing or fetching anything yet.
  ///
  /// - Parameters:
  ///   - model: The data that the app was built for; `seedbank config swift` prints it.
  ///   - server: The publication's address, including its path.
  ///   - root: The publication's `root.json`, shipped with the app: the trust anchor.
  ///   - bundle: A folder made by `seedbank pull --bundle` and shipped with the app. The store starts with
  ///     the bundle's data, even offline, if the device has nothing newer.
  ///   - directory: A directory for this store's files only. The default is `Seedbank/<program>/<dataset>` in
  ///     the user's application data; the program is the bundle identifier or the executable's name. A store
  ///     for a new major replaces the old one's data there, so an app that uses both needs two directories.
  ///   - options: Further settings.
  public init(
    _ model: SeedModel, server: URL, root: Data, bundle: URL? = nil, directory: URL? = nil,
    options: SeedOptions = SeedOptions()
  ) throws {
    try self.init(
      model, server: server, root: Array(root),
      bundle: bundle.map { try StoreDirectory.path(of: $0, "bundle") },
      directory: directory.map { try StoreDirectory.path(of: $0, "directory") }, options: options)
  }

  /// Creates a read-only store on a directory that another store updates, for example in an app extension.
  ///
  /// It contacts no server, does not block the other store's updates, and picks them up within a second. Updates and
  /// other changes fail with ``SeedError/Code/readOnly``. Until the directory contains data, reads fail with
  /// ``SeedError/Code/noData`` and live queries wait.
  public init(_ model: SeedModel, reading directory: URL, options: SeedOptions = SeedOptions()) throws {
    try self.init(model, reading: StoreDirectory.path(of: directory, "directory"), options: options)
  }

  package init(
    _ model: SeedModel, server: URL, root: [UInt8], bundle: String? = nil, directory: String?,
    options: SeedOptions = SeedOptions(), environment: Environment? = nil
  ) throws(SeedError) {
    let environment = environment ?? .device(model, options)
    try ShippedRoot.check(root)
    let layout = try StoreLayout(checking: directory ?? StoreDirectory.defaultPath(model.dataset))
    try self.init(
      model, layout, bundle.map(BundleFolder.init),
      Fetcher(ServerAddress(server), environment, layout, options),
      StoreWriter(layout, model, root: root, options: options), options, environment)
  }

  package init(
    _ model: SeedModel, reading directory: String, options: SeedOptions = SeedOptions(),
    environment: Environment? = nil
  ) throws(SeedError) {
    let layout = try StoreLayout(checking: directory)
    self.init(
      model, layout, nil, nil, StoreWriter(layout, model, root: [], options: options), options,
      environment ?? .device(model, options))
  }

  private init(
    _ model: SeedModel, _ layout: StoreLayout, _ bundle: BundleFolder?, _ fetcher: Fetcher?,
    _ writer: StoreWriter, _ options: SeedOptions, _ environment: Environment
  ) {
    CryptoLibrary.prepare()
    (self.model, self.layout, self.bundle, self.fetcher) = (model, layout, bundle, fetcher)
    (self.writer, self.environment, onPhase) = (writer, environment, options.onPhase)
    log = SeedLog(model.series, options.log)
    currentState = SeedState(model)
  }

  // MARK: Serial changes

  /// Runs `body` in a task that holds the update lock. The task is cancelled with the caller's task or by
  /// ``suspend()``. Converts errors to ``SeedError``, and records those of updates in ``state``.
  func inTurn<Result: Sendable>(
    isUpdate: Bool = true, _ body: @escaping @Sendable (isolated SeedStore) async throws -> Result
  ) async throws(SeedError) -> Result {
    guard await updateLock.acquire() else { throw SeedError(CancellationError()) }
    defer { updateLock.release() }
    try access.check()
    let task = Task { try await body(self) }
    cancelWork = { task.cancel() }
    defer { cancelWork = nil }
    do {
      let result = try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
      // A read-only store has no updates that would clear its last error.
      if fetcher == nil, current != nil, currentState.lastError != nil { currentState.lastError = nil }
      return result
    } catch {
      try access.check()
      let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
      if isUpdate { note(failure, fetcher == nil ? "the data cannot be read" : "the update failed") }
      throw failure
    }
  }

  func note(_ failure: SeedError, _ what: String) {
    // Failures that the app caused are not about the data.
    guard ![.cancelled, .suspended, .closed, .readOnly].contains(failure.code) else { return }
    currentState.lastError = failure
    log.error("\(what): \(failure)")
  }
}

enum StoreAccess: Sendable {
  case open, suspended, removing, closed

  func check() throws(SeedError) {
    switch self {
    case .open: return
    case .removing: throw SeedError(.suspended, "the store's data is being removed: try again")
    case .suspended: throw .suspended
    case .closed: throw .closed
    }
  }
}

/// The generations that a store or its app still uses. Guarded by the store's actor.
struct HeldGenerations {
  private struct Item { weak let generation: Generation? }

  private var items: [Item] = []

  var all: [Generation] { items.compactMap(\.generation) }

  /// The generations whose folders still exist. The app may still have files of the others open.
  var inPlace: [Generation] { all.filter(\.lease.isInPlace) }

  mutating func add(_ generation: Generation) {
    items.removeAll { $0.generation == nil || $0.generation === generation }
    items.append(Item(generation: generation))
  }
}
