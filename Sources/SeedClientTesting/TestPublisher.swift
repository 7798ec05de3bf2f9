public import Foundation
public import SeedClient
import SeedDatabase
public import SeedFormat
import SeedSystem
public import SeedTrust

/// A publisher in the test's process, with the server, network and clock for its stores.
///
/// Its publications have real signatures, and its stores are real. Both use ``clock``, never real time.
public final class TestPublisher: Sendable {
  /// The stores' model: the app's own, or one made from the schema.
  public let model: SeedModel
  /// The clock of the publisher and its stores.
  public let clock: ScriptedClock
  let root: [UInt8]
  let host: MemoryHost
  let gate = Gate()
  let folder: TemporaryFolder
  private let publication: Mutex<TestPublication>

  /// Midday of 1 August 2026.
  private static let start = UTCTime(secondsSinceEpoch: 1_785_585_600)

  /// Creates a publisher without versions. If `model` is `nil`, it publishes model 1.0 of a dataset `test`.
  public convenience init(
    schema: String, model: SeedModel? = nil, license: String? = nil, attribution: String? = nil
  ) throws { try self.init(schema, model, nil, Provenance(license: license, attribution: attribution)) }

  /// Creates a publisher whose version 1 has the rows of a `seedbank pull --bundle` folder. Verifies no signatures.
  public convenience init(bundle: URL, model: SeedModel? = nil) throws {
    try self.init(DatabaseContents(bundle: bundle.path), model)
  }

  /// Creates a publisher whose version 1 has the rows of a SQLite file: a seed, or any file whose tables have keys.
  public convenience init(file: URL, model: SeedModel? = nil) throws {
    try self.init(DatabaseContents(file: file.path), model)
  }

  private convenience init(_ contents: DatabaseContents, _ model: SeedModel?) throws {
    try self.init(contents.schemaSQL, model, contents.meta, contents.meta?.provenance ?? Provenance())
    try change { try $0.publish(contents.rows) }
  }

  private init(_ schema: String, _ given: SeedModel?, _ meta: SeedMeta?, _ provenance: Provenance) throws {
    let dataset = given?.dataset ?? meta?.series.dataset ?? "test"
    let publication = try Self.understanding {
      try TestPublication(
        dataset, given?.version ?? meta?.model ?? "1.0", schemaSQL: schema, provenance, now: Self.start)
    }
    let own = SeedModel(dataset: dataset, version: publication.model, schema: publication.schema.hash)
    if let given { try Self.check(given, against: own) }
    model = given ?? own
    (root, host) = (publication.root, publication.host)
    (clock, folder) = (ScriptedClock(start: Self.start), try TemporaryFolder(inMemory: true))
    self.publication = Mutex(publication)
  }

  private static func understanding<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard error is SchemaProblem || error is DatabaseError else { throw error }
      throw TestPublisherError(
        "no seed can have this schema: \(error): use the model's schema from the publisher")
    }
  }

  private static func check(_ given: SeedModel, against own: SeedModel) throws(TestPublisherError) {
    guard let pinned = given.schema, let found = own.schema, pinned != found else { return }
    throw TestPublisherError(
      "model \(given.dataset) \(given.version) is for a schema with the hash \(pinned), but this schema has the hash \(found): "
        + "use the schema that the model was made from, or copy the model again from `seedbank config swift`"
    )
  }

  // MARK: Publishing

  /// Publishes changed rows, if any, as the next version: the first version as a snapshot, later ones as deltas.
  @discardableResult
  public func publish(_ changes: (inout RowChanges) throws -> Void) throws -> SeedVersion {
    var rows = RowChanges()
    try changes(&rows)
    return try change { [rows] in try $0.publish(rows) }
  }

  /// Publishes the changes made by statements such as `UPDATE stop SET …`.
  @discardableResult
  public func publish(sql: String) throws -> SeedVersion { try change { try $0.publish(sql: sql) } }

  /// Also publishes the newest version as a snapshot.
  public func publishSnapshot() throws { try change { try $0.publishSnapshot() } }

  /// Starts a new epoch with the current rows, so that every store downloads a new file.
  public func startEpoch() throws { try change { try $0.startEpoch() } }

  /// Publishes the series' lifecycle.
  public func announce(_ lifecycle: SeedLifecycle) throws { try sign { $0.lifecycle = lifecycle } }

  /// Publishes only for a newer model: stores with this model fail with ``SeedClient/SeedError/Code/clientTooOld``.
  public func dropModel() throws { try sign { $0.isModelDropped = true } }

  private func sign(_ set: (TestPublication) -> Void) throws {
    try change { publication in
      set(publication)
      try publication.sign()
    }
  }

  @discardableResult
  private func change(_ body: (TestPublication) throws -> Void) throws -> SeedVersion {
    let head = try publication.withLock { publication in
      publication.now = clock.time
      try body(publication)
      return publication.head
    }
    return try SeedVersion(max(head, 1))
  }

  private static let expiryDays = 8

  private static let address = URL(string: "http://seeds.example")!

  // MARK: Stores

  /// Creates a store on a new device, or in `directory`. Successive stores in one directory simulate restarts of an
  /// app. Downloads never time out; ``TestFailure/slow`` simulates a timeout.
  public func store(
    in directory: URL? = nil, bundle: URL? = nil, options: SeedOptions = SeedOptions()
  ) throws -> SeedStore {
    try SeedStore(
      model, server: Self.address, root: root, bundle: bundle?.path,
      directory: directory?.path ?? folder("device-\(UUID().uuidString)"), options: withoutTimeouts(options),
      environment: environment)
  }

  /// Creates a read-only store on another store's directory, as in an app extension.
  public func store(reading directory: URL, options: SeedOptions = SeedOptions()) throws -> SeedStore {
    try SeedStore(model, reading: directory.path, options: withoutTimeouts(options), environment: environment)
  }

  /// Makes the bundle that an app would ship now. The bundle is removed with the publisher.
  public func makeBundle() async throws -> URL {
    let path = folder("bundle-\(UUID().uuidString)")
    _ = try await BundleMaker(
      model, server: Self.address, root: root, directory: path, options: withoutTimeouts(SeedOptions()),
      environment: environment
    ).make()
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  private func withoutTimeouts(_ options: SeedOptions) -> SeedOptions {
    var options = options
    (options.timeouts.window, options.timeouts.total) = (ScriptedClock.never, ScriptedClock.never)
    return options
  }

  /// Retains the publisher, and so its folders.
  private var environment: Environment {
    Environment(
      transport: host,
      now: { [self] in failure == .expired ? clock.time.adding(days: Self.expiryDays) : clock.time },
      sleep: { [clock] in try await clock.sleep($0) },
      chance: { 0.5 },
      uptime: { [clock] in clock.uptime },
      freeBytes: { [self] in failure == .fullDisk ? 0 : Environment.freeBytes(in: $0) })
  }

  // MARK: Failures

  /// The failure that is simulated now, if any.
  public var failure: TestFailure? {
    get { host.withServed { $0.failure } }
    set { host.withServed { $0.failure = newValue } }
  }

  /// Sets the failure while `body` runs.
  @discardableResult
  public func failing<Result>(
    _ failure: TestFailure, _ body: () async throws -> Result
  ) async throws -> Result {
    let before = self.failure
    self.failure = failure
    defer { self.failure = before }
    return try await body()
  }

  // MARK: Pausing updates

  /// The point at which updates pause.
  public enum Stop: Hashable, Sendable {
    /// Before the first request.
    case checking
    /// After half of the first file.
    case downloading
  }

  /// Pauses updates at `stop` until ``release()``. A paused update ends if it is cancelled.
  public func hold(_ stop: Stop) {
    gate.close()
    host.withServed { [gate, clock] served in
      switch stop {
      case .checking: served.hold = { _ in try await gate.pass() }
      case .downloading:
        // Progress is reported only as time passes.
        served.hold = { if MemoryHost.isObject($0) { clock.advance(by: .seconds(1)) } }
        served.pause = { try await gate.pass() }
      }
    }
  }

  /// Returns once an update is paused.
  public func untilHeld() async { await gate.untilWaiting() }

  /// Resumes all updates.
  public func release() {
    host.withServed { served in (served.hold, served.pause) = (nil, nil) }
    gate.open()
  }
}

extension SeedStore {
  /// Creates a store for a preview, with these rows and without a network. With a failure, it never has data.
  ///
  /// Traps with a message if the schema or the rows are wrong.
  public static func preview(
    schema: String, failure: TestFailure? = nil, rows: (inout RowChanges) throws -> Void = { _ in }
  ) -> SeedStore {
    do {
      let publisher = try TestPublisher(schema: schema)
      try publisher.publish(rows)
      publisher.failure = failure
      let store = try publisher.store()
      // A live query does not contact the server: it waits for this data.
      Task { try? await store.prepare() }
      return store
    } catch { fatalError("this preview has no data: \(error)") }
  }
}
