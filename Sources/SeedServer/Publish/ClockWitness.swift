import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Judges a clock that lies behind the signatures: it was ahead when they were made, or it is behind now.
///
/// One look cannot tell. So signatures stay as long as they are until steps have run under this clock for a while, and
/// the operator was warned at each of them; then it is believed. An operator who knows can say so at once.
struct ClockWitness {
  /// How far the clock is believed.
  enum Verdict: Equatable {
    /// Nothing was signed that a right clock could not have signed.
    case agrees
    /// It may be wrong; it is believed from `date` on.
    case doubted(until: UTCTime)
    /// It is right, and some signatures reach too far.
    case trusted
  }

  /// Seconds by which clocks may differ before it is said.
  static let toleranceSeconds = UTCTime.secondsPerDay
  /// Seconds of steps under one clock after which it is believed.
  static let doubtSeconds = UTCTime.secondsPerDay

  private let path: String

  init(_ stateFolder: String) { path = "\(stateFolder)/clock" }

  /// Judges by the longest time for which signatures are made here; `isAssured` where an operator vouches for the clock.
  func verdict(
    _ published: PublishedMetadata, lifetimeSeconds: Int, now: UTCTime, isAssured: Bool
  ) throws -> Verdict {
    let allowed = now.adding(seconds: lifetimeSeconds + Self.toleranceSeconds)
    let dated = published.newestDate.map { $0 > now.adding(seconds: Self.toleranceSeconds) } ?? false
    guard published.onlineExpiry > allowed || dated else {
      try Folder.remove(path)
      return .agrees
    }
    if isAssured { return .trusted }
    let since = try firstDoubt(now)
    let end = since.adding(seconds: Self.doubtSeconds)
    return now >= end ? .trusted : .doubted(until: end)
  }

  /// When this clock was first found behind. A doubt from the future is another clock's.
  private func firstDoubt(_ now: UTCTime) throws -> UTCTime {
    let bytes = try DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    if let bytes, let since = UTCTime(String(decoding: bytes, as: UTF8.self)), since <= now {
      return since
    }
    try DurableFile.write(Array(now.text.utf8), to: path)
    return now
  }
}

extension PublishedMetadata {
  /// When the last of the online roles expires.
  fileprivate var onlineExpiry: UTCTime {
    ([snapshot.expires, timestamp.expires] + series.values.map(\.expires)).max() ?? .distantPast
  }

  /// When the newest version was published, as it says.
  var newestDate: UTCTime? { series.values.map(\.metadata.state.publishedAt).max() }
}
