import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The parts of a catalog's state that can change without a new publication.
struct CatalogStanding: Hashable, Sendable {
  /// Published files that are missing or have the wrong length, as paths in the publication.
  var missing: Set<String> = []
  var expired: Set<String> = []
  var isDiskFull = false
  var isDiskNearlyFull = false
  /// The start of the delay if this is a copy that has been outdated for too long; otherwise `nil`.
  var lateSince: UTCTime?
}

extension PublishedCatalog {
  func standing(at now: UTCTime, _ missing: Set<String>, _ follow: FollowState? = nil) -> CatalogStanding {
    let disk = DiskUse(of: directory.path)
    return CatalogStanding(
      missing: missing, expired: Set(signatures.filter { $0.expires <= now }.map(\.role)),
      isDiskFull: disk?.isFull == true,
      isDiskNearlyFull: disk?.isNearlyFull(beside: publishedBytes) == true,
      lateSince: follow?.lateSince(at: now))
  }
}

extension CatalogView {
  /// The snapshots that a new client can download now.
  func servedSnapshots(_ series: SeriesMetadata) -> [PublishedObject] {
    series.usableSnapshots.filter { !standing.missing.contains($0.filePath) }
  }

  func missingFiles(_ series: SeriesMetadata) -> Int {
    standing.missing.isEmpty ? 0 : series.objects.count { standing.missing.contains($0.filePath) }
  }

  /// The shortest validity of signatures according to the facts; `nil` if unknown.
  var reportedLifetimeSeconds: Int? { facts.values.compactMap(\.lifetimeSeconds).min() }

  /// Whether every series has a snapshot for new clients.
  var isReady: Bool {
    guard let catalog, !catalog.datasets.isEmpty else { return false }
    return catalog.allSeries.allSatisfy { !servedSnapshots($0).isEmpty }
  }

  /// Whether all files are gone, as after a lost mount. This is one problem, not one for each series.
  var isAway: Bool { failure != nil && (catalog?.allSeries ?? []).allSatisfy { servedSnapshots($0).isEmpty } }

  var lateWarnings: [String] {
    standing.lateSince.map {
      ["This front serves a copy, and has not reached the original since \($0): the front's log shows why"]
    } ?? []
  }

  var missingFileWarnings: [String] {
    guard !isAway else { return [] }
    return (catalog?.allSeries ?? []).compactMap { series in
      let count = missingFiles(series)
      guard count > 0 else { return nil }
      // Omits the total number of files: each version changes it, and the line would be logged again.
      return
        "\(count.counted("file")) of \(series.series) \(count == 1 ? "is" : "are") missing or "
        + "\(count == 1 ? "has" : "have") the wrong length: run 'seedbank verify'"
    }
  }
}

/// Checks only the lengths of published files, so that a front starts quickly. There may be many deltas, so each
/// check includes only a part of them.
struct FileLook {
  private var missing: Set<String> = []
  /// The catalog of the last check and its lists, cached because checks run every second.
  private var catalog: PublishedCatalog?
  private var (snapshots, deltas): ([PublishedObject], [PublishedObject]) = ([], [])
  private var next = 0

  private let deltasAtOnce: Int

  init(deltasAtOnce: Int = 500) { self.deltasAtOnce = deltasAtOnce }

  mutating func missing(of catalog: PublishedCatalog) -> Set<String> {
    if self.catalog !== catalog { take(catalog) }
    for object in snapshots + turn() {
      if catalog.directory.holds(object) {
        missing.remove(object.filePath)
      } else {
        missing.insert(object.filePath)
      }
    }
    return missing
  }

  private mutating func take(_ catalog: PublishedCatalog) {
    let objects = catalog.allSeries.flatMap(\.objects)
    self.catalog = catalog
    (snapshots, deltas) = (objects.filter { $0.span == nil }, objects.filter { $0.span != nil })
    missing.formIntersection(objects.map(\.filePath))
  }

  private mutating func turn() -> [PublishedObject] {
    guard deltas.count > deltasAtOnce else { return deltas }
    let start = next % deltas.count
    next = start + deltasAtOnce
    return Array((deltas[start...] + deltas[..<start]).prefix(deltasAtOnce))
  }
}
