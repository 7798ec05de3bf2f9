import SeedFormat
import SeedSystem
import SeedTrust

/// How a catalog stands at a moment. It changes though nothing is published.
struct CatalogStanding: Hashable, Sendable {
  /// Snapshots whose file is gone, or not as long as was signed, by their path in the publication.
  var missing: Set<String> = []
  /// The roles whose signatures have expired.
  var expired: Set<String> = []
  /// Whether the publisher may fail for want of room.
  var isDiskNearlyFull = false
}

extension PublishedCatalog {
  /// Asks the disk for each snapshot's length, and no more: a front answers before it has read gigabytes.
  func standing(at now: UTCTime) -> CatalogStanding {
    let snapshots = allSeries.flatMap(\.usableSnapshots)
    let missing = snapshots.filter { snapshot in
      let stamp = (try? FileStamp(directory.file(snapshot))) ?? nil
      return stamp?.isRegular != true || stamp?.size != snapshot.length
    }
    return CatalogStanding(
      missing: Set(missing.map(\.filePath)),
      expired: Set(signatures.filter { $0.expires <= now }.map(\.role)),
      isDiskNearlyFull: DiskUse(of: directory.path)?.isNearlyFull(beside: publishedBytes) == true)
  }
}

extension CatalogView {
  /// The snapshots with which a client can begin now.
  func servedSnapshots(_ series: SeriesMetadata) -> [PublishedObject] {
    series.usableSnapshots.filter { !standing.missing.contains($0.filePath) }
  }

  /// Whether a client of any series can begin.
  var isReady: Bool {
    guard let catalog, !catalog.datasets.isEmpty else { return false }
    return catalog.allSeries.allSatisfy { !servedSnapshots($0).isEmpty }
  }

  /// What people should know of files that are not there.
  var missingFileWarnings: [String] {
    (catalog?.allSeries ?? []).compactMap { series in
      let count = series.usableSnapshots.count { standing.missing.contains($0.filePath) }
      guard count > 0 else { return nil }
      return
        "\(count) of \(series.usableSnapshots.count) snapshots of \(series.series) are missing, or of another"
        + " length than signed: 'seedbank verify' says what to do"
    }
  }
}
