import SeedFormat
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
/// Keep one store per directory that updates: further ones, in this process or another, read what is there and notice
/// what it changes, and their own updates fail with ``SeedError/Code/storeLocked`` while the first one lives. Reading
/// never waits for a download, a swap or an apply.
public actor SeedStore {
  /// Changes that wait for a listener at most.
  private static let mostWaitingChanges = 1000

  /// What the app was built for.
  public nonisolated let model: SeedModel
  nonisolated let openingsSender = Broadcast<Seed>(.latest)
  nonisolated let changesSender = Broadcast<SeedChanges>(.newest(SeedStore.mostWaitingChanges))
  nonisolated let moments = Broadcast<Seed>(.latest)
  let layout: StoreLayout
  /// What the app brought along.
  let bundle: BundleLayout?
  let fetcher: Fetcher
  let writer: StoreWriter
  let surroundings: Surroundings
  let onPhase: @Sendable (UpdatePhase) -> Void
  var turns = Turns()
  var pace = Pace.unknown
  var current: Generation?
  /// The generations that this store or the app still has in hand.
  var inHand = GenerationsInHand()
  var suspension = Suspension()
  /// Whether this store holds the writer's lock.
  var isWriting = false
  /// Whether the bundle was compared with what is there, which is done once.
  var hasLookedAtBundle = false
  var hasRecord = false

  /// What a settings screen shows.
  public internal(set) var state: SeedState

  /// A store for a model. Nothing is read, written or fetched yet.
  ///
  /// - Parameters:
  ///   - model: What the app was built for; `seedbank config swift` prints it.
  ///   - server: The address of the publication, with its path if it has one.
  ///   - root: The publication's `root.json`, shipped with the app: all trust begins there.
  ///   - bundle: A folder that `seedbank pull --bundle` made, shipped with the app, if there is one: the data to
  ///     start with where there is no newer, also offline.
  ///   - directory: A directory of the store's own; unless given, `Seedbank/<program>/<dataset>-<major>` in the
  ///     user's folder for application data, where the program is the bundle's identifier, or the executable's name.
  ///   - options: What an app can choose.
  public init(
    _ model: SeedModel, server: URL, root: Data, bundle: URL? = nil, directory: URL? = nil,
    options: SeedOptions = SeedOptions()
  ) throws(SeedError) {
    try self.init(
      model, server: server, root: Array(root), bundle: StoreDirectory.path(of: bundle, named: "bundle"),
      directory: StoreDirectory.path(of: directory, named: "directory"), options: options)
  }

  /// A store in a world of the caller's making; unless given, the real one.
  package init(
    _ model: SeedModel, server: URL, root: [UInt8], bundle: String? = nil, directory: String?,
    options: SeedOptions = SeedOptions(), surroundings: Surroundings? = nil
  ) throws(SeedError) {
    let surroundings = surroundings ?? .device(model, options)
    try ShippedRoot.check(root)
    self.model = model
    self.surroundings = surroundings
    let directory = directory ?? StoreDirectory.defaultPath(model.series)
    try StoreDirectory.check(directory)
    layout = StoreLayout(directory: directory)
    self.bundle = bundle.map(BundleLayout.init)
    fetcher = Fetcher(try ServerAddress(server), surroundings, layout, options)
    onPhase = options.onPhase
    writer = StoreWriter(layout, model, root: root, options: options)
    state = SeedState(model)
  }
}
