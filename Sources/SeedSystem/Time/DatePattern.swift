/// A source's date format in numbers, in letters of Unicode date patterns (UTS 35): `dd.MM.yyyy HH:mm`.
package struct DatePattern: Sendable {
  private enum Part: Hashable, Sendable {
    case year, month, day, hour, minute, second
    case byte(UInt8)
  }

  package struct Flaw: Error {
    package let reason: String
  }

  private static let known: [String: (Part, ClosedRange<Int>)] = [
    "yyyy": (.year, 4...4), "MM": (.month, 2...2), "M": (.month, 1...2), "dd": (.day, 2...2),
    "d": (.day, 1...2), "HH": (.hour, 2...2), "H": (.hour, 1...2), "mm": (.minute, 2...2),
    "ss": (.second, 2...2),
  ]

  private var parts: [(part: Part, digits: ClosedRange<Int>)] = []

  package init(_ pattern: String) throws(Flaw) {
    var rest = Array(pattern.utf8)[...]
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }
      rest = rest.dropFirst(run.count)
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) {
        parts.append(try Self.part(String(decoding: run, as: UTF8.self)))
      } else {
        for _ in run { parts.append((.byte(byte), 1...1)) }
      }
    }
    let missing = [Part.year, .month, .day].contains { wanted in !parts.contains { $0.part == wanted } }
    if missing { throw Flaw(reason: "a year, a month and a day are needed: yyyy, MM, dd") }
  }

  private static func part(_ letters: String) throws(Flaw) -> (Part, ClosedRange<Int>) {
    if let known = known[letters] { return known }
    throw Flaw(reason: "\(letters) is none of yyyy, MM, M, dd, d, HH, H, mm and ss")
  }

  /// Returns nil if the text does not match. `zone` is its offset in seconds east of Greenwich.
  package func read(_ text: UnsafeBufferPointer<UInt8>, zone: Int = 0) -> UTCTime.Instant? {
    var reader = TimeReader(text)
    var (year, month, day, hour, minute, second) = (0, 0, 0, 0, 0, 0)
    for (part, digits) in parts {
      if case .byte(let byte) = part {
        guard reader.take(byte) else { return nil }
        continue
      }
      guard let number = reader.number(digits) else { return nil }
      switch part {
      case .year: year = number
      case .month: month = number
      case .day: day = number
      case .hour: hour = number
      case .minute: minute = number
      case .second: second = number
      case .byte: break
      }
    }
    guard reader.isAtEnd, let date = CivilDate(checking: year, month, day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let seconds = date.daysSinceEpoch * UTCTime.secondsPerDay + hour * 3600 + minute * 60 + second
    return (Int64(seconds - zone), 0)
  }
}
