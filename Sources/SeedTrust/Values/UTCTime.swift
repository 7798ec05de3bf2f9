public import SeedFormat

import SeedSystem

/// A second of universal time, written as TUF writes it: `2026-08-01T12:00:00Z`.
public struct UTCTime: Hashable, Sendable, Comparable {
  /// Seconds since 1970, without leap seconds.
  public let secondsSinceEpoch: Int

  package static let secondsPerDay = 86_400

  /// The first second of the year 0: before everything, so that nothing has expired.
  package static let distantPast = UTCTime(secondsSinceEpoch: .min)

  /// The last second that four digits of a year can name.
  private static let range = (daysSinceEpoch(0, 1, 1) * 86_400)...(daysSinceEpoch(10_000, 1, 1) * 86_400 - 1)

  /// A time beyond the years 0 to 9999 becomes the nearest one within.
  public init(secondsSinceEpoch: Int) {
    self.secondsSinceEpoch = min(max(secondsSinceEpoch, Self.range.lowerBound), Self.range.upperBound)
  }

  /// Reads `2026-08-01T12:00:00Z` and nothing else.
  public init(_ text: String) throws(InvalidName) {
    guard let time = Self.read(Array(text.utf8)), time.text == text else {
      throw InvalidName("time", found: text, expected: "a date and time such as 2026-08-01T12:00:00Z")
    }
    self = time
  }

  /// The system's clock. libc's `time`, which a test can move.
  package static func now() -> UTCTime { UTCTime(secondsSinceEpoch: time(nil)) }

  /// The time that many seconds later.
  package func adding(seconds: Int) -> UTCTime { UTCTime(secondsSinceEpoch: secondsSinceEpoch + seconds) }

  /// The time that many days later.
  package func adding(days: Int) -> UTCTime { adding(seconds: days * Self.secondsPerDay) }

  /// `2026-08-01T12:00:00Z`.
  public var text: String {
    let days = secondsSinceEpoch.flooredDivision(by: Self.secondsPerDay)
    let second = secondsSinceEpoch - days * Self.secondsPerDay
    let (year, month, day) = Self.date(daysSinceEpoch: days)
    let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    return "\(date)T\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))Z"
  }

  /// Earlier is less.
  public static func < (left: Self, right: Self) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

  /// Takes numbers from where they must stand; whoever calls compares with the text that comes of them.
  private static func read(_ bytes: [UInt8]) -> UTCTime? {
    guard bytes.count == 20, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]), (1...12).contains(month)
    else { return nil }
    let days = daysSinceEpoch(year, month, day)
    return UTCTime(secondsSinceEpoch: days * secondsPerDay + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }

  // MARK: The Gregorian calendar. Years are counted from March, so that a leap day ends its year.

  private static let daysPer400Years = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysToEpoch = 719_468

  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month < 3 ? year - 1 : year
    let cycle = marchYear.flooredDivision(by: 400)
    let yearOfCycle = marchYear - cycle * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * daysPer400Years + dayOfCycle - daysToEpoch
  }

  private static func date(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSinceEpoch + daysToEpoch
    let cycle = days.flooredDivision(by: daysPer400Years)
    let dayOfCycle = days - cycle * daysPer400Years
    let leapDays = dayOfCycle / 1460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
    let yearOfCycle = (dayOfCycle - leapDays) / 365
    let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = cycle * 400 + yearOfCycle + (month < 3 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}

extension UTCTime: CustomStringConvertible {
  /// `2026-08-01T12:00:00Z`.
  public var description: String { text }
}

private func digits(_ number: Int, _ width: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, width - text.count)) + text
}

extension Int {
  fileprivate func flooredDivision(by divisor: Int) -> Int {
    (self - ((self % divisor) + divisor) % divisor) / divisor
  }
}
