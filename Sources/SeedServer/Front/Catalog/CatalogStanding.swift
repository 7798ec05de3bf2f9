import SeedFormat
import SeedSystem
import SeedTrust

/// How a catalog stands at a moment. It changes though nothing is published.
struct CatalogStanding: Hashable, Sendable {
  /// Files that are gone, or not as long as was signed, by their path in the publication.
  var missing: Set<String> = []
  /// The roles whose signatures have expired.
  var expired: Set<String> = []
  /// Whether the publisher may fail for want of room.
  var isDiskNearlyFull = false
  /// Of a copy: since when nothing is known of the publication that it follows, where that is too long.
  var lateSince: UTCTime?
}

extension PublishedCatalog {
  /// With the files that were found missing.
  func standing(at now: UTCTime, _ missing: Set<String>, _ follow: FollowState? = nil) -> CatalogStanding {
    CatalogStanding(
      missing: missing,
      expired: Set(signatures.filter { $0.expires <= now }.map(\.role)),
      isDiskNearlyFull: DiskUse(of: directory.path)?.isNearlyFull(beside: publishedBytes) == true,
      lateSince: follow?.lateSince(at: now))
  }
}

extension CatalogView {
  /// The snapshots with which a client can begin now.
  func servedSnapshots(_ series: SeriesMetadata) -> [PublishedObject] {
    series.usableSnapshots.filter { !standing.missing.contains($0.filePath) }
  }

  /// Snapshots and deltas of it that were found missing.
  func missingFiles(_ series: SeriesMetadata) -> Int {
    standing.missing.isEmpty ? 0 : series.objects.count { standing.missing.contains($0.filePath) }
  }

  /// The shortest time for which a publisher signs, as the publishers tell it; `nil` where none does.
  var toldLifetimeSeconds: Int? { facts.values.compactMap(\.lifetimeSeconds).min() }

  /// Whether a client of any series can begin.
  var isReady: Bool {
    guard let catalog, !catalog.datasets.isEmpty else { return false }
    return catalog.allSeries.allSatisfy { !servedSnapshots($0).isEmpty }
  }

  private var hasServedSnapshots: Bool {
    (catalog?.allSeries ?? []).contains { !servedSnapshots($0).isEmpty }
  }

  /// What people should know of a copy that may be old.
  var lateWarnings: [String] {
    standing.lateSince.map {
      [
        "This is a copy, and since \($0) nothing was heard of the publication that it follows: its log says why"
      ]
    } ?? []
  }

  /// What people should know of files that are not there.
  var missingFileWarnings: [String] {
    // A publication that is away says so itself, and takes all its files with it.
    guard failure == nil || hasServedSnapshots else { return [] }
    return (catalog?.allSeries ?? []).compactMap { series in
      let count = missingFiles(series)
      guard count > 0 else { return nil }
      return
        "\(count) of \(series.objects.count) files of \(series.series) \(count == 1 ? "is" : "are") missing, or of another"
        + " length than signed: 'seedbank verify' says what to do"
    }
  }
}
