import SeedFormat
import SeedSystem

/// How often a series has new versions, in relation to how often its clients look. Pure.
struct VersionRhythm: Hashable, Sendable {
  /// Seconds between two versions in the mean.
  let changeSeconds: Int
  let pollSeconds: Int

  /// Versions without which nobody can speak of a rhythm.
  private static let leastVersions = 3
  /// Looks for each version beyond which most of them cost more than they bring.
  private static let mostLooks = 100.0
  /// Looks for each version that a client then may well make: its data is late by a fortieth of the time between two.
  private static let enoughLooks = 20
  /// Paces that an operator would choose, in seconds.
  private static let usual = [60, 300, 900, 3600, 6 * 3600, UTCTime.secondsPerDay]

  init(changeSeconds: Int, pollSeconds: Int) {
    (self.changeSeconds, self.pollSeconds) = (changeSeconds, max(pollSeconds, 1))
  }

  /// `nil` where the publisher tells of too few versions.
  init?(_ facts: SeriesFacts, pollSeconds: Int, now: UTCTime) {
    let versions = facts.steps.filter { $0.outcome == .published && $0.to != $0.from }.map(
      \.at.secondsSinceEpoch)
    guard versions.count >= Self.leastVersions, let first = versions.min() else { return nil }
    self.init(
      changeSeconds: max(1, (now.secondsSinceEpoch - first) / versions.count), pollSeconds: pollSeconds)
  }

  /// Looks of one client for each new version.
  var looksPerVersion: Double { Double(changeSeconds) / Double(pollSeconds) }

  /// A pace that brings nearly as much for much less; `nil` where the one that there is will do.
  var betterPollSeconds: Int? {
    guard looksPerVersion > Self.mostLooks else { return nil }
    return Self.usual.last { $0 > pollSeconds && $0 * Self.enoughLooks <= changeSeconds }
  }
}
