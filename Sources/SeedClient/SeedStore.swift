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

  /// The data that the app was built for.
  public nonisolated let model: SeedModel
  nonisolated let openingsSender = Broadcast<Seed>(mostWaiting: 1, replaysLatest: true)
  nonisolated let changesSender = Broadcast<SeedChanges>(mostWaiting: SeedStore.mostWaitingChanges)
  /// Sends what changed whenever live queries may have to be run again.
  nonisolated let editionSender = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
  var edition: DataEdition?
  let layout: StoreLayout
  let bundle: BundleFolder?
  let fetcher: Fetcher
  let writer: StoreWriter
  let environment: Environment
  let onPhase: @Sendable (UpdatePhase) -> Void
  let turns = Turns()
  var pace = Pace.unknown
  var current: Generation?
  var held = HeldGenerations()
  var isSuspended = false
  let suspensions = Broadcast<Bool>(mostWaiting: 1, replaysLatest: true)
  var cancelWork: (@Sendable () -> Void)?
  var isWriting = false
  /// Whether the bundle was compared with the store's data, which is done once.
  var hasCheckedBundle = false
  var hasRecord = false

  /// The data and its last update, for a settings screen.
  public internal(set) var state: SeedState

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
      model, server: server, root: Array(root), bundle: StoreDirectory.path(of: bundle, named: "bundle"),
      directory: StoreDirectory.path(of: directory, named: "directory"), options: options)
  }

  package init(
    _ model: SeedModel, server: URL, root: [UInt8], bundle: String? = nil, directory: String?,
    options: SeedOptions = SeedOptions(), environment: Environment? = nil
  ) throws(SeedError) {
    let environment = environment ?? .device(model, options)
    try ShippedRoot.check(root)
    (self.model, self.environment) = (model, environment)
    let path = directory ?? StoreDirectory.defaultPath(model.series, in: environment.dataFolder())
    try StoreDirectory.check(path)
    layout = StoreLayout(directory: path)
    self.bundle = bundle.map(BundleFolder.init)
    fetcher = Fetcher(try ServerAddress(server), environment, layout, options)
    onPhase = options.onPhase
    writer = StoreWriter(
      layout, model, root: root, options: options, isInDefaultDirectory: directory == nil)
    state = SeedState(model)
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
    guard !isSuspended else { throw .suspended }
    let task = Task { try await body(self) }
    cancelWork = { task.cancel() }
    defer { cancelWork = nil }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      guard !isSuspended else { throw .suspended }
      let failure = Task.isCancelled ? SeedError(CancellationError()) : SeedError(error)
      if isUpdate, failure.code != .cancelled { state.lastError = failure }
      throw failure
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
