// HTTP dates (RFC 9110, 5.6.7).
extension UTCTime {
  private static let format = "%a, %d %b %Y %H:%M:%S GMT"
  /// The forms that a recipient must accept.
  private static let formats = [format, "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is written.
  package var httpText: String { formatted(Self.format) }

  /// Rejects dates that do not exist or have a wrong weekday. For a two-digit year, `now` determines the century.
  package init?(http text: String, now: UTCTime = .now()) {
    guard let read = Self.leniently(text, now: now),
      Self.formats.contains(where: { read.formatted($0) == text })
    else { return nil }
    self = read
  }

  /// Takes the parts by position; the caller compares the result's text with the input.
  private static func leniently(_ text: String, now: UTCTime) -> UTCTime? {
    let words = text.split { " ,-:".contains($0) }.map(String.init)
    guard words.count >= 7 else { return nil }
    // asctime: `Sun Nov  6 08:49:37 1994`; the others: `Sunday, 06-Nov-94 08:49:37 GMT`.
    let isASCTime = months.contains(words[1])
    let order = isASCTime ? [6, 2, 3, 4, 5] : [3, 1, 4, 5, 6]
    let numbers = order.compactMap { words[$0].utf8.count <= 4 ? Int(words[$0]) : nil }
    guard numbers.count == order.count, let month = months.firstIndex(of: words[isASCTime ? 1 : 2]) else {
      return nil
    }
    let hasCentury = words[order[0]].utf8.count > 2
    let year = hasCentury ? numbers[0] : year(ofTwoDigits: numbers[0], now: now)
    guard let date = CivilDate(checking: year, month + 1, numbers[1]) else { return nil }
    let seconds = numbers[2] * 3600 + numbers[3] * 60 + numbers[4]
    return UTCTime(secondsSinceEpoch: date.daysSinceEpoch * secondsPerDay + seconds)
  }

  /// The latest year with those two digits that is at most fifty years ahead.
  private static func year(ofTwoDigits digits: Int, now: UTCTime) -> Int {
    let latest = (Int(now.formatted("%Y")) ?? 0) + 50
    return latest - (latest - digits) % 100
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
