import SeedSystem
import SeedTrust

/// The field with which a server asks for patience: seconds, or a date. Anything else says nothing.
enum RetryAfter {
  /// Longest wait that is believed, in seconds: a day.
  private static let longest = 86_400

  /// The wait from `now` on; a date in the past asks for none.
  static func read(_ text: String?, now: UTCTime) -> Duration? {
    guard let text else { return nil }
    let seconds = Int(text) ?? date(text, now).map { $0.secondsSinceEpoch - now.secondsSinceEpoch }
    return seconds.map { .seconds(min(max($0, 0), longest)) }
  }

  /// RFC 9110 (5.6.7) lets a server send one form alone.
  private static func date(_ text: String, _ now: UTCTime) -> UTCTime? {
    UTCTime(http: text, now: now).flatMap { $0.httpText == text ? $0 : nil }
  }
}
