import SeedFormat
import SeedSystem
package import SeedTrust

/// Asks the disk for the lengths of published files, and no more: a front answers before it has read gigabytes. Snapshots
/// are all looked at each time; of deltas there may be very many, so they take turns.
struct FileLook {
  private var missing: Set<String> = []
  /// The catalog of the last look, and what it lists: there may be very many files, and a look comes each second.
  private var catalog: PublishedCatalog?
  private var (snapshots, deltas): ([PublishedObject], [PublishedObject]) = ([], [])
  /// The place in the list of deltas at which the next look begins.
  private var next = 0

  /// Deltas that are asked for at one look.
  private let deltasAtOnce: Int

  init(deltasAtOnce: Int = 500) { self.deltasAtOnce = deltasAtOnce }

  /// The files of the catalog that are gone, or not as long as was signed, as far as is known, by their path in the publication.
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

extension PublicationDirectory {
  /// Whether its file is there, as long as was signed.
  package func holds(_ object: PublishedObject) -> Bool {
    let stamp = (try? FileStamp(file(object))) ?? nil
    return stamp?.isRegular == true && stamp?.size == object.length
  }
}
