public import SeedClient
import SeedFormat
public import SeedTrust

extension UpdatePlan {
  /// A plan between two versions; a first download if `from` is nil.
  ///
  /// - Parameters:
  ///   - action: The effect on the data; ``SeedClient/UpdateReport/Action/upToDate`` downloads nothing.
  ///   - from: The version on the device, if any.
  ///   - to: The version after the update.
  ///   - bytes: Bytes to download.
  public static func fixture(
    _ action: UpdateReport.Action = .applied, from: Int? = 1, to: Int = 2, bytes: Int = 1_000
  ) -> UpdatePlan {
    let from = action == .applied ? from ?? 1 : from
    let kind: PublishedObject.Kind? =
      switch action {
      case .upToDate: nil
      case .replaced: .snapshot(.fixture(to), .gzip)
      case .applied: .delta(from: .fixture(from ?? 1), to: .fixture(to))
      }
    return UpdatePlan(
      reason: reason(action, from), from: from.map { .fixture($0) }, to: .fixture(to),
      deltaBytes: action == .applied ? bytes : nil, snapshotBytes: action == .replaced ? bytes : nil,
      objects: kind.map { [object($0, bytes)] } ?? [])
  }

  private static func reason(_ action: UpdateReport.Action, _ from: Int?) -> Reason {
    switch action {
    case .upToDate: .upToDate
    case .applied: .onlyDeltas
    case .replaced: from == nil ? .firstDownload : .onlySnapshot
    }
  }

  private static func object(_ kind: PublishedObject.Kind, _ bytes: Int) -> PublishedObject {
    let (model, hash) = (SeedModel.fixture, SHA256Digest(words: .zero))
    return PublishedObject(
      series: model.series, kind: kind, length: bytes, sha256: hash, model: model.version, rawLength: bytes,
      rawSHA256: hash, schema: hash, digest: hash)
  }
}

extension UpdateReport {
  /// An update's report. Its ``SeedClient/UpdateReport/seed`` has a file that does not exist.
  ///
  /// - Parameters:
  ///   - action: The effect on the data.
  ///   - from: The previous version, if any.
  ///   - to: The current version.
  ///   - bytes: Bytes of the snapshot and the deltas.
  ///   - changes: Rows changed by deltas, by table.
  ///   - lifecycle: The series' lifecycle.
  ///   - duration: The update's duration.
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
