import SeedTrust

/// RFC 9110, 5.6.7: a time as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT`.
func httpDate(_ time: UTCTime) -> String {
  let text = time.text
  let date = text.prefix(10).split(separator: "-")
  let month = months[(Int(date[1]) ?? 1) - 1]
  return "\(weekday(time)), \(date[2]) \(month) \(date[0]) \(text.dropFirst(11).prefix(8)) GMT"
}

private let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/// 1970 began on a Thursday.
private func weekday(_ time: UTCTime) -> String {
  let secondOfWeek = (time.secondsSinceEpoch + 4 * UTCTime.secondsPerDay) % (7 * UTCTime.secondsPerDay)
  let sinceSunday = secondOfWeek < 0 ? secondOfWeek + 7 * UTCTime.secondsPerDay : secondOfWeek
  return weekdays[sinceSunday / UTCTime.secondsPerDay]
}
