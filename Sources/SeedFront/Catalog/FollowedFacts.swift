import SeedFormat
import SeedPublication
import SeedSystem

/// The facts of a publication's series, mirrors, publisher and verification. Rereads changed files only.
struct FollowedFacts {
  private(set) var facts: [SeedSeries: SeriesFacts] = [:]
  private(set) var mirrors: MirrorFacts?
  private(set) var publisher: PublisherFacts?
  private(set) var verification: VerificationFacts?
  /// Taken before reading.
  private var stamps: [SeedSeries: FileStamp] = [:]
  private var otherStamps: [FileStamp?] = [nil, nil, nil]

  /// Reads changed facts and drops removed ones. Returns whether there were any.
  mutating func look(at folder: FactsFolder, of series: [SeedSeries]) -> Bool {
    let others = [
      folder.stamp(MirrorFacts.self), folder.stamp(PublisherFacts.self), folder.stamp(VerificationFacts.self),
    ]
    let hasOthers = others != otherStamps
    if hasOthers {
      (mirrors, publisher, verification) = (folder.read(), folder.read(), folder.read())
      otherStamps = others
    }
    let found = series.reduce(into: [:]) { found, series in found[series] = folder.stamp(series) }
    guard found != stamps else { return hasOthers }
    for series in Set(stamps.keys).union(found.keys) where stamps[series] != found[series] {
      facts[series] = found[series] == nil ? nil : folder.read(series)
    }
    stamps = found
    return true
  }
}
