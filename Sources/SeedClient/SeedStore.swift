import SeedFormat
import SeedTrust

public import struct Foundation.Data
public import struct Foundation.URL

/// An app's reference data: on this device, verified, and kept fresh.
///
/// ```swift
/// let seeds = try SeedStore(.transit, server: url, root: rootJSON)
/// Task { try await seeds.keepUpdated() }
/// for try await stops in seeds.rows("SELECT name FROM stop ORDER BY name") { show(stops) }
/// ```
///
/// Keep one store per directory: a second one can read what is there, and its updates fail with
/// ``SeedError/Code/storeLocked`` while the first one lives. Reading never waits for a download, a swap or an
/// apply.
public actor SeedStore {
  /// What the app was built for.
  public nonisolated let model: SeedModel
  nonisolated let openingsSender = Broadcast<Seed>(.latest)
  nonisolated let changesSender = Broadcast<SeedChanges>(.all)
  nonisolated let moments = Broadcast<Seed>(.latest)
  let layout: StoreLayout
  let fetcher: Fetcher
  let writer: StoreWriter
  let surroundings: Surroundings
  let onPhase: @Sendable (UpdatePhase) -> Void
  var turns = Turns()
  var pace = Pace.unknown
  var current: Generation?
  var previous: Generation?
  /// Whether this store holds the writer's lock.
  var isWriting = false

  /// What a settings screen shows.
  public internal(set) var state: SeedState

  /// A store for a model. Nothing is read, written or fetched yet.
  ///
  /// - Parameters:
  ///   - model: What the app was built for; `seedbank config swift` prints it.
  ///   - server: The address of the publication, with its path if it has one.
  ///   - root: The publication's `root.json`, shipped with the app: all trust begins there.
  ///   - directory: A directory of the store's own; unless given, `Seedbank/<dataset>-<major>` in the user's
  ///     folder for application data.
  ///   - options: What an app can choose.
  public init(
    _ model: SeedModel, server: URL, root: Data, directory: URL? = nil, options: SeedOptions = SeedOptions()
  ) throws(SeedError) {
    try self.init(model, server: server, root: Array(root), directory: directory?.path, options: options)
  }

  /// A store in a world of the caller's making; unless given, the real one.
  package init(
    _ model: SeedModel, server: URL, root: [UInt8], directory: String?, options: SeedOptions = SeedOptions(),
    surroundings: Surroundings? = nil
  ) throws(SeedError) {
    let agent = "Seedbank/\(ClientRelease.version) (\(model.dataset); \(model.model))"
    let surroundings = surroundings ?? Surroundings(transport: URLSessionTransport(userAgent: agent))
    try translating { _ = try TrustedMetadataSet(root: root, now: surroundings.now()) }
    self.model = model
    self.surroundings = surroundings
    layout = StoreLayout(directory: directory ?? DefaultDirectory.path(model.series))
    fetcher = Fetcher(try ServerAddress(server), surroundings, layout, options)
    onPhase = options.onPhase
    writer = StoreWriter(layout, model, root: root)
    state = SeedState(model)
  }
}
