import SeedSystem
import SeedTrust

public import struct Foundation.Data
public import struct Foundation.URL

/// An app's reference data: on this device, verified, and kept fresh.
///
/// ```swift
/// let seeds = try SeedStore(.transit, server: url, root: rootJSON, bundle: bundledSeed)
/// Task { try await seeds.keepUpdated() }
/// for try await stops in seeds.rows("SELECT name FROM stop ORDER BY name") { show(stops) }
/// ```
///
/// Keep one store per directory that updates: further ones, in this process or another, read the data that is there and
/// notice changes, and their own updates fail with ``SeedError/Code/storeLocked`` while the first one lives. Reading
/// never waits for a download, a swap or an apply.
public actor SeedStore {
  private static let mostWaitingChanges = 1000
  private static let mostWaitingPhases = 32

  /// The data that the app was built for.
  public nonisolated let model: SeedModel
  nonisolated let openingsSender = Broadcast<Seed>(mostWaiting: 1, replaysLatest: true)
  nonisolated let changesSender = Broadcast<SeedChanges>(mostWaiting: SeedStore.mostWaitingChanges)
  nonisolated let stateSender = Broadcast<SeedState>(mostWaiting: 1, replaysLatest: true)
  nonisolated let phaseSender = Broadcast<UpdatePhase>(mostWaiting: SeedStore.mostWaitingPhases)
  /// Sends whenever live queries may have to be run again.
  nonisolated let editionSender = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
  let layout: StoreLayout
  let bundle: BundleFolder?
  /// `nil` for a store that only reads.
  let fetcher: Fetcher?
  let writer: StoreWriter
  let environment: Environment
  let onPhase: @Sendable (UpdatePhase) -> Void
  let log: SeedLog
  let turns = Turns()
  var pace = Pace.unknown
  var hints = HintRule()
  var current: Generation?
  var held = HeldGenerations()
  var access = StoreAccess.open
  nonisolated let accesses = Broadcast<StoreAccess>(mostWaiting: 1, replaysLatest: true)
  /// Tells when another store changes the directory.
  var watch: FolderWatch?
  var hasNotice = false
  var triesWatchLater = false
  /// What is wrong with the current file, where the last look could not open it.
  var damage: String?
  var cancelWork: (@Sendable () -> Void)?
  var isWriting = false
  /// Whether the bundle was compared with the store's data, which is done once.
  var hasCheckedBundle = false
  var hasRecord = false

  /// The data and its last update, for a settings screen.
  public internal(set) var state: SeedState {
    didSet { if state != oldValue { stateSender.send(state) } }
  }

  /// A store for a model. Nothing is read, written or fetched yet.
  ///
  /// - Parameters:
  ///   - model: The data that the app was built for; `seedbank config swift` prints it.
  ///   - server: The address of the publication, with its path if it has one.
  ///   - root: The publication's `root.json`, shipped with the app: all trust begins there.
  ///   - bundle: A folder that `seedbank pull --bundle` made, shipped with the app, if there is one: the data to
  ///     start with where there is no newer, also offline.
  ///   - directory: A directory that only this store uses; unless given, `Seedbank/<program>/<dataset>-<major>` in the
  ///     user's folder for application data, where the program is the bundle's identifier, or the executable's name.
  ///     There the folders of the dataset's older majors are removed at the first update after this one's data was
  ///     read, unless a process uses them: an app that goes on with two majors names the directories.
  ///   - options: Further choices.
  public init(
    _ model: SeedModel, server: URL, root: Data, bundle: URL? = nil, directory: URL? = nil,
    options: SeedOptions = SeedOptions()
  ) throws(SeedError) {
    try self.init(
      model, server: server, root: Array(root), bundle: StoreDirectory.pathIfNamed(bundle, "bundle"),
      directory: StoreDirectory.pathIfNamed(directory, "directory"), options: options)
  }

  /// A store that only reads what another one keeps up to date in a directory, as an extension of the app does in the
  /// container that they share.
  ///
  /// It asks no server, takes no lock that keeps others from updating, and notices within a second what the other store
  /// does. Updates and all else that changes the data fail with ``SeedError/Code/readOnly``; reads fail with
  /// ``SeedError/Code/noData`` until there is data, and live queries wait for it.
  public init(
    _ model: SeedModel, reading directory: URL, options: SeedOptions = SeedOptions()
  ) throws(SeedError) {
    try self.init(model, reading: StoreDirectory.path(of: directory, "directory"), options: options)
  }

  package init(
    _ model: SeedModel, server: URL, root: [UInt8], bundle: String? = nil, directory: String?,
    options: SeedOptions = SeedOptions(), environment: Environment? = nil
  ) throws(SeedError) {
    let environment = environment ?? .device(model, options)
    try ShippedRoot.check(root)
    let path = directory ?? StoreDirectory.defaultPath(model.series, in: environment.dataFolder())
    let layout = try StoreLayout(checking: path)
    try self.init(
      model, layout, bundle.map(BundleFolder.init),
      Fetcher(ServerAddress(server), environment, layout, options),
      StoreWriter(layout, model, root: root, options: options, isInDefaultDirectory: directory == nil),
      options, environment)
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
    state = SeedState(model)
    stateSender.send(state)
  }

  // MARK: One after the other

  /// Runs `body` when its turn has come: changes to the store come one after the other. `body` runs in a task of its
  /// own, which ends with the caller's and which ``suspend()`` can cancel. Whatever it throws leaves as a
  /// ``SeedError``; that of an update stays in ``state``.
  func inTurn<Result: Sendable>(
    isUpdate: Bool = true, _ body: @escaping @Sendable (isolated SeedStore) async throws -> Result
  ) async throws(SeedError) -> Result {
    guard await turns.take() else { throw SeedError(CancellationError()) }
    defer { turns.end() }
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
      // For a store that only reads, having read is all that can succeed.
      if fetcher == nil, current != nil, state.lastError != nil { state.lastError = nil }
      return result
    } catch {
      try access.check()
      let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
      if isUpdate { note(failure, fetcher == nil ? "the data cannot be read" : "the update failed") }
      throw failure
    }
  }

  /// Keeps and tells why there is nothing new.
  func note(_ failure: SeedError, _ what: String) {
    // What the app itself ended, or asked for by mistake, is no fault of the data.
    guard ![.cancelled, .suspended, .closed, .readOnly].contains(failure.code) else { return }
    state.lastError = failure
    log.error("\(what): \(failure)")
  }
}

/// Whether a store may be used.
enum StoreAccess: Sendable {
  case open, suspended, closed

  func check() throws(SeedError) {
    switch self {
    case .open: return
    case .suspended: throw .suspended
    case .closed: throw .closed
    }
  }
}

/// The generations that a store or its app still uses. Part of an actor, which guards it.
struct HeldGenerations {
  private struct Item { weak let generation: Generation? }

  private var items: [Item] = []

  var all: [Generation] { items.compactMap(\.generation) }

  /// Those that can be read again where they are current; the others are the app's alone.
  var inPlace: [Generation] { all.filter(\.lease.isInPlace) }

  mutating func add(_ generation: Generation) {
    items.removeAll { $0.generation == nil || $0.generation === generation }
    items.append(Item(generation: generation))
  }
}

/// Decides whether and when a hint leads to a look. Pure.
struct HintRule: Sendable {
  private var isWaiting = false
  private var lastLook: Duration?

  /// Seconds that a publication may take to be seen behind a cache, before which a look would find nothing.
  private static let delay = 2.0
  /// The shortest time between two looks that hints lead to.
  private static let pause = Duration.seconds(10)

  /// The wait before the look; `nil` where the look for an earlier hint is still to come, and will do. `now` is the time
  /// since some start, `chance` a number from 0 to 1.
  mutating func wait(for reason: LookReason, now: Duration, chance: Double) -> Duration? {
    guard !isWaiting else { return nil }
    isWaiting = true
    let pause = lastLook.map { $0 + Self.pause - now } ?? .zero
    return max(.seconds(Self.delay) + reason.spread * chance, pause)
  }

  /// What is told from now on may come too late for the look.
  mutating func begin(at now: Duration) { (isWaiting, lastLook) = (false, now) }

  /// There will be no look.
  mutating func giveUp() { isWaiting = false }
}
