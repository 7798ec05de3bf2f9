import SeedFormat
import SeedSystem

/// The facts of a publication's series, each read again where its file changed.
struct FollowedFacts {
  private(set) var facts: [Series: SeriesFacts] = [:]
  /// The files as they were before they were read.
  private var stamps: [Series: FileStamp] = [:]

  /// Reads what changed since the last look, and forgets what is gone; whether there was any of it.
  mutating func look(at folder: FactsFolder, of series: [Series]) -> Bool {
    let found = series.reduce(into: [:]) { found, series in found[series] = folder.stamp(series) }
    guard found != stamps else { return false }
    for series in Set(stamps.keys).union(found.keys) where stamps[series] != found[series] {
      facts[series] = found[series] == nil ? nil : folder.read(series)
    }
    stamps = found
    return true
  }
}
