public import SeedClient
import SeedDatabase
public import SeedFormat
import SeedSystem
public import SeedTrust

public import struct Foundation.Date

extension SeedModel {
  /// Model 1.0 of a dataset `test`, with a schema hash of zeros.
  public static let fixture = SeedModel(
    dataset: "test", version: "1.0", schema: SHA256Digest(words: DigestWords()))
}

extension SeedVersion {
  static func fixture(_ number: Int) -> SeedVersion {
    guard let version = try? SeedVersion(number) else {
      preconditionFailure("the version \(number) is invalid: versions count from 1")
    }
    return version
  }
}

extension SeedState {
  /// A store's state for a settings screen; by default, that of a store with the newest data.
  public static func fixture(
    model: SeedModel = .fixture, version: Int? = 1, newestVersion: Int? = nil,
    origin: SeedOrigin? = .downloaded, publishedAt: Date? = nil, lastChecked: Date? = nil,
    lastUpdated: Date? = nil, lastError: SeedError? = nil, bundleError: SeedError? = nil,
    lifecycle: SeedLifecycle? = .active, license: String? = nil, attribution: String? = nil,
    source: String? = nil, isStale: Bool = false
  ) -> SeedState {
    var state = SeedState(model)
    state.version = version.map { .fixture($0) }
    state.origin = version == nil ? nil : origin
    (state.lastError, state.bundleError) = (lastError, bundleError)
    state.fileProvenance = Provenance(license: license, attribution: attribution, source: source)
    state.isOld = isStale
    state.record.newestVersion = newestVersion.map { .fixture($0) }
    state.record.publishedAt = publishedAt.map(UTCTime.init)
    state.record.lastChecked = lastChecked.map(UTCTime.init)
    state.record.lastUpdated = lastUpdated.map(UTCTime.init)
    state.record.lifecycle = lifecycle
    return state
  }
}

extension UTCTime {
  fileprivate init(_ date: Date) { self.init(secondsSinceEpoch: Int(date.timeIntervalSince1970)) }
}

extension SeedRow {
  /// A row with columns in the given order: `SeedRow(["id": "a", "name": "Alexanderplatz"])`.
  public init(_ columns: KeyValuePairs<String, any SeedValueConvertible>) {
    self.init(names: columns.map(\.key), values: columns.map(\.value.seedValue))
  }
}

extension SeedError {
  /// An error as thrown by a store.
  public static func fixture(
    _ code: Code, _ message: String = "this is a fixture", neededBytes: Int? = nil,
    availableBytes: Int? = nil, retryAfter: Duration? = nil, oldestModel: ModelVersion? = nil
  ) -> SeedError {
    SeedError(
      code, message, neededBytes: neededBytes, availableBytes: availableBytes, retryAfter: retryAfter,
      oldestModel: oldestModel)
  }
}

extension SeedChanges {
  /// The changes of a delta to `version`: `.fixture(version: 8, tables: ["stop": .fixture(updated: 2)])`.
  public static func fixture(version: Int, tables: [String: Table]) -> SeedChanges {
    SeedChanges(version: .fixture(version), tables: tables)
  }
}

extension SeedChanges.Table {
  /// Row counts without keys.
  public static func fixture(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) -> Self {
    Self(inserted: inserted, updated: updated, deleted: deleted, keys: nil)
  }
}

extension UpdatePlan {
  /// A plan between two versions that downloads `bytes`; a first download if `from` is nil.
  public static func fixture(
    _ action: UpdateReport.Action = .applied, from: Int? = 1, to: Int = 2, bytes: Int = 1_000
  ) -> UpdatePlan {
    let from = action == .applied ? from ?? 1 : from
    let (reason, kind): (Reason, PublishedObject.Kind?) =
      switch action {
      case .upToDate: (.upToDate, nil)
      case .replaced: (from == nil ? .firstDownload : .onlySnapshot, .snapshot(.fixture(to), .gzip))
      case .applied: (.onlyDeltas, .delta(from: .fixture(from ?? 1), to: .fixture(to)))
      }
    return UpdatePlan(
      reason: reason, from: from.map { .fixture($0) }, to: .fixture(to),
      deltaBytes: action == .applied ? bytes : nil, snapshotBytes: action == .replaced ? bytes : nil,
      objects: kind.map { [object($0, bytes)] } ?? [])
  }

  private static func object(_ kind: PublishedObject.Kind, _ bytes: Int) -> PublishedObject {
    let (model, hash) = (SeedModel.fixture, SHA256Digest(words: DigestWords()))
    return PublishedObject(
      series: model.series, kind: kind, length: bytes, sha256: hash, model: model.version, rawLength: bytes,
      schema: hash, digest: hash)
  }
}

extension UpdateReport {
  /// A report of an update that downloaded `bytes`. The file of its ``SeedClient/UpdateReport/seed`` does not exist.
  public static func fixture(
    _ action: Action = .applied, from: Int? = 1, to: Int = 2, bytes: Int = 1_000,
    changes: [String: SeedChanges.Table] = [:], lifecycle: SeedLifecycle = .active,
    duration: Duration = .seconds(1)
  ) -> UpdateReport {
    let plan = UpdatePlan.fixture(action, from: from, to: to, bytes: bytes)
    return UpdateReport(
      plan: plan, from: plan.from, seed: .fixture(version: to), bytes: plan.bytes, traffic: UpdateTraffic(),
      changes: changes, lifecycle: lifecycle, duration: duration)
  }
}

extension Seed {
  /// A seed whose file does not exist.
  public static func fixture(version: Int = 1) -> Seed {
    Seed(file: "/nonexistent/seed.sqlite", version: .fixture(version), keeper: NoFile())
  }

  private final class NoFile: Sendable {}
}
