import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// Where one series stands.
struct SeriesStatus {
  let series: Series
  /// `nil` where it was never published.
  let published: PublishedMetadata.PublishedSeries?
  let copyPath: String
  let copyVersion: Version?
  /// By table, where the working copy is at the head.
  let rows: [String: Int]?
  let copyBytes: Int
  let lastBuild: Build?
  /// When the next snapshot is due; `nil` where the head has one.
  let nextSnapshot: UTCTime?
  let checkSeconds: Int

  init(_ plan: SeriesPlan, _ dataset: DatasetConfiguration, _ view: DeploymentView) throws {
    series = plan.series
    published = view.published.series[plan.series]
    copyPath = "\(view.configuration.state)/\(plan.series.roleName).sqlite"
    let copy = Self.copy(copyPath)
    copyVersion = copy?.meta.version
    let isAtHead = copy?.meta.version == published?.metadata.state.head
    rows = isAtHead ? copy?.sums.mapValues(\.rows) : nil
    copyBytes = DiskUse.bytes(of: copyPath)
    lastBuild = try? view.history.latest(of: plan.series)
    checkSeconds = dataset.checkSeconds
    nextSnapshot = try Self.nextSnapshot(published?.metadata, dataset, view.publication)
  }

  /// Reads what the copy says of itself; a copy that cannot be read is told by its version being unknown.
  private static func copy(_ path: String) -> (meta: SeedMeta, sums: [String: TableSum])? {
    guard Folder.exists(path), let copy = try? Connection(path, .reader) else { return nil }
    guard let meta = try? SeedTables.meta(copy), let sums = try? SeedTables.sums(copy) else { return nil }
    return (meta, sums)
  }

  private static func nextSnapshot(
    _ metadata: SeriesMetadata?, _ dataset: DatasetConfiguration, _ publication: PublicationDirectory
  ) throws -> UTCTime? {
    if case .retired = metadata?.state.lifecycle { return nil }
    guard let metadata, let newest = metadata.newestSnapshot, newest.version != metadata.state.head else {
      return nil
    }
    return newest.publishedAt?.adding(seconds: dataset.policy.snapshotSeconds)
  }

  // MARK: Objects

  var snapshots: [PublishedObject] {
    (published?.metadata.objects ?? []).filter { if case .snapshot = $0.kind { true } else { false } }
      .sorted { ($1.version, $0.encoding.rawValue) < ($0.version, $1.encoding.rawValue) }
  }

  var deltas: [PublishedObject] {
    (published?.metadata.objects ?? []).filter { if case .delta = $0.kind { true } else { false } }
  }

  /// What an operator should look at.
  var warnings: [String] {
    guard let published else { return ["\(series): nothing is published yet; run 'seedbank regenerate'"] }
    var warnings: [String] = []
    if let hold = published.metadata.state.hold {
      warnings.append(
        "\(series): held at the content of version \(hold.version) since \(hold.since);"
          + " 'seedbank regenerate --resume' takes up the origin again")
    }
    if let build = lastBuild, build.outcome == .refused || build.outcome == .failed {
      warnings.append("\(series): the last step \(build.outcome.rawValue): \(build.error ?? "")")
    }
    if copyVersion == nil {
      warnings.append("\(series): no working copy can be read; the next step makes it anew")
    }
    return warnings
  }
}
