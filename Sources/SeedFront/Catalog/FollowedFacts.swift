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
  private var mirrorsStamp: FileStamp?
  private var publisherStamp: FileStamp?
  private var verificationStamp: FileStamp?

  /// Reads changed facts and drops removed ones. Returns whether there were any.
  mutating func look(at folder: FactsFolder, of series: [SeedSeries]) -> Bool {
    let hasMirrors = Self.look(at: folder, &mirrors, &mirrorsStamp)
    let hasPublisher = Self.look(at: folder, &publisher, &publisherStamp)
    let hasVerification = Self.look(at: folder, &verification, &verificationStamp)
    let found = series.reduce(into: [:]) { found, series in found[series] = folder.stamp(series) }
    guard found != stamps else { return hasMirrors || hasPublisher || hasVerification }
    for series in Set(stamps.keys).union(found.keys) where stamps[series] != found[series] {
      facts[series] = found[series] == nil ? nil : folder.read(series)
    }
    stamps = found
    return true
  }

  private static func look<Facts: CommonFacts>(
    at folder: FactsFolder, _ facts: inout Facts?, _ stamp: inout FileStamp?
  ) -> Bool {
    let found = folder.stamp(Facts.self)
    guard found != stamp else { return false }
    (facts, stamp) = (folder.read(Facts.self), found)
    return true
  }
}
