import SeedFormat
import SeedPublication
import SeedSystem
package import SeedTrust

/// Checks only the lengths of published files, so that a front starts quickly. Deltas take turns: there may be many.
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

extension PublicationDirectory {
  /// Whether the object's file exists with the signed length.
  package func holds(_ object: PublishedObject) -> Bool {
    let stamp = (try? FileStamp(file(object))) ?? nil
    return stamp?.isRegular == true && stamp?.size == object.length
  }
}
