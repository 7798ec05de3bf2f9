import SeedFormat
import SeedPublication
import SeedSystem

/// The rate of a series' new versions, compared with its polling interval. Pure.
struct VersionRhythm: Hashable, Sendable {
  let changeSeconds: Int
  let pollSeconds: Int

  /// The minimum number of versions for a mean.
  private static let leastVersions = 3
  /// Above this number of polls per version, most are wasted.
  private static let mostLooks = 100.0
  /// The polls per version to recommend. Data is then late by a fortieth of the mean time between versions.
  private static let enoughLooks = 20
  private static let usual = [60, 300, 900, 3600, 6 * 3600, UTCTime.secondsPerDay]

  init(changeSeconds: Int, pollSeconds: Int) {
    (self.changeSeconds, self.pollSeconds) = (changeSeconds, max(pollSeconds, 1))
  }

  /// Returns `nil` if the facts have too few versions.
  init?(_ facts: SeriesFacts, pollSeconds: Int, now: UTCTime) {
    let versions = facts.steps.filter { $0.outcome == .published && $0.to != $0.from }.map(
      \.at.secondsSinceEpoch)
    guard versions.count >= Self.leastVersions, let first = versions.min() else { return nil }
    self.init(
      changeSeconds: max(1, (now.secondsSinceEpoch - first) / versions.count), pollSeconds: pollSeconds)
  }

  var looksPerVersion: Double { Double(changeSeconds) / Double(pollSeconds) }

  /// A longer interval that is nearly as good, or `nil` if the current one is fine.
  var betterPollSeconds: Int? {
    guard looksPerVersion > Self.mostLooks else { return nil }
    return Self.usual.last { $0 > pollSeconds && $0 * Self.enoughLooks <= changeSeconds }
  }
}
