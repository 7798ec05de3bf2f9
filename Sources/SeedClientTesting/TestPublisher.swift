public import SeedClient
import SeedDatabase
public import SeedFormat
import SeedSystem
public import SeedTrust

public import struct Foundation.URL

/// A publisher in the test's process, with the server, network and clock for its stores.
///
/// Its publications are really signed, and its stores are real. Nothing uses real time; both use ``clock``.
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

  /// Creates a publisher without versions; if `model` is `nil`, of model 1.0 of a dataset `test`.
  public convenience init(
    schema: String, model: SeedModel? = nil, license: String? = nil, attribution: String? = nil
  ) throws { try self.init(schema, model, nil, Provenance(license: license, attribution: attribution)) }

  /// Creates a publisher whose version 1 has the rows of a `seedbank pull --bundle` folder. Ignores its signatures.
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

  private init(
    _ schema: String, _ given: SeedModel?, _ meta: SeedMeta?, _ provenance: Provenance
  ) throws {
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
        "no seed can have this schema: \(error): give the model's own, as the publisher has it")
    }
  }

  private static func check(_ given: SeedModel, against own: SeedModel) throws(TestPublisherError) {
    guard let pinned = given.schema, let found = own.schema, pinned != found else { return }
    throw TestPublisherError(
      "model \(given.dataset) \(given.version) is for a schema with the hash \(pinned), but this schema's is \(found): "
        + "give the schema that the model was made from, or copy the model again from `seedbank config swift`"
    )
  }

  // MARK: Publishing

  /// Publishes changed rows, if there are any, as the next version, first as a snapshot, later as deltas.
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

  /// Publishes only for a newer model: stores of this one fail with ``SeedClient/SeedError/Code/clientTooOld``.
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
}
