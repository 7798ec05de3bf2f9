/// Weekly times as an operator writes them: `03:30`, `Mon-Fri 03:30`, `Mon-Fri 03:30; Sat,Sun 06:00,18:00`. Days are
/// lists and ranges of three-letter names. A time without days applies to every day.
package struct WeeklyTimes: Hashable, Sendable {
  package let text: String
  /// Minutes since Monday 00:00, ascending, never empty.
  let minutes: [Int]

  static let minutesPerDay = 1440
  static let minutesPerWeek = 7 * minutesPerDay
  private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  package init(_ text: String) throws(ScheduleMistake) {
    var minutes: Set<Int> = []
    for clause in text.split(separator: ";", omittingEmptySubsequences: false) {
      for (day, minute) in try Self.clause(clause) { minutes.insert(day * Self.minutesPerDay + minute) }
    }
    self.text = text
    self.minutes = minutes.sorted()
  }

  private static func clause(_ text: Substring) throws(ScheduleMistake) -> [(Int, Int)] {
    let words = text.split(separator: " ")
    guard let times = words.last, words.count <= 2 else { throw .times(String(text)) }
    let days = words.count == 2 ? try Self.days(words[0]) : Array(0..<7)
    let minutes = try times.split(separator: ",", omittingEmptySubsequences: false).map(minute)
    return days.flatMap { day in minutes.map { (day, $0) } }
  }

  private static func days(_ text: Substring) throws(ScheduleMistake) -> [Int] {
    var found: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = try part.split(separator: "-", omittingEmptySubsequences: false).map(day)
      guard let first = ends.first, let last = ends.last, ends.count <= 2 else { throw .day(String(part)) }
      // A range may wrap around the end of the week.
      found += (first...(last >= first ? last : last + 7)).map { $0 % 7 }
    }
    return found
  }

  private static func day(_ text: Substring) throws(ScheduleMistake) -> Int {
    guard let day = days.firstIndex(of: text.lowercased()) else { throw .day(String(text)) }
    return day
  }

  private static func minute(_ text: Substring) throws(ScheduleMistake) -> Int {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isWhole = parts.count == 2 && parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }
    guard isWhole, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 else {
      throw .times(String(text))
    }
    return hour * 60 + minute
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  /// The most minutes from one time to the next, wrapping around the week.
  var longestGapMinutes: Int {
    zip(minutes, minutes.dropFirst() + [minutes[0] + Self.minutesPerWeek]).map { $1 - $0 }.max() ?? 0
  }
}

package enum ScheduleMistake: Error, Hashable, CustomStringConvertible {
  case times(String)
  case day(String)
  case zone(String)

  /// The expected and the found text, without a full stop.
  package var description: String {
    switch self {
    case .times(let found):
      "expected times such as \"03:30\" or \"Mon-Fri 03:30; Sat,Sun 06:00,18:00\", found \"\(found)\""
    case .day(let found): "expected a day from Mon to Sun, or a range such as Mon-Fri, found \"\(found)\""
    case .zone(let found):
      "\"\(found)\" is not a time zone of this machine; expected an IANA name such as \"Europe/Zurich\""
    }
  }
}
