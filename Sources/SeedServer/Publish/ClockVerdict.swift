import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// How far a clock is believed that lies behind the signatures: it was ahead when they were made, or it is behind now.
///
/// One look cannot tell. So signatures stay as long as they are until steps have run under this clock for a while, and
/// the operator was warned at each of them; then it is believed. An operator who knows can say so at once.
enum ClockVerdict: Equatable {
  /// Nothing was signed that a right clock could not have signed.
  case agrees
  /// It may be wrong; it is believed from then on.
  case doubted(until: UTCTime)
  /// It is right, and some signatures reach too far.
  case trusted

  /// Seconds by which clocks may differ before it is said.
  static let toleranceSeconds = UTCTime.secondsPerDay
  /// Seconds of steps under one clock after which it is believed.
  static let doubtSeconds = UTCTime.secondsPerDay

  /// Judges by the longest time for which signatures are made here; `isAssured` where an operator vouches for the clock.
  init(
    of published: PublishedMetadata, in stateFolder: String, lifetimeSeconds: Int, now: UTCTime,
    isAssured: Bool
  ) throws {
    let path = "\(stateFolder)/clock"
    let dates = published.series.values.map(\.metadata.state.publishedAt)
    let expiries =
      published.series.values.map(\.expires) + [published.snapshot.expires, published.timestamp.expires]
    let latest = now.adding(seconds: Self.toleranceSeconds)
    guard
      dates.contains(where: { $0 > latest })
        || expiries.contains(where: { $0 > latest.adding(seconds: lifetimeSeconds) })
    else {
      try Folder.remove(path)
      self = .agrees
      return
    }
    if isAssured {
      self = .trusted
    } else {
      let end = try Self.firstDoubt(path, now).adding(seconds: Self.doubtSeconds)
      self = now >= end ? .trusted : .doubted(until: end)
    }
  }

  /// When this clock was first found behind. A doubt from the future is another clock's.
  private static func firstDoubt(_ path: String, _ now: UTCTime) throws -> UTCTime {
    let bytes = try DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    if let bytes, let since = UTCTime(String(decoding: bytes, as: UTF8.self)), since <= now { return since }
    try DurableFile.write(Array(now.text.utf8), to: path)
    return now
  }
}
