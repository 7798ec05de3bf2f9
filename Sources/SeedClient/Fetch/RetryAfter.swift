import SeedTrust

/// The field with which a server asks for patience: seconds, or a date. Anything else says nothing.
enum RetryAfter {
  /// Longest wait that is believed, in seconds: a day.
  private static let longest = 86_400

  /// The wait from `now` on; a date in the past asks for none.
  static func read(_ text: String?, now: UTCTime) -> Duration? {
    guard let text else { return nil }
    let seconds = Int(text) ?? date(text).map { $0.secondsSinceEpoch - now.secondsSinceEpoch }
    return seconds.map { .seconds(min(max($0, 0), longest)) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that may be sent (RFC 9110, 5.6.7).
  private static func date(_ text: String) -> UTCTime? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
      return nil
    }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    return try? UTCTime("\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}
