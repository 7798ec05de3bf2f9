/// A source's date format, in letters of Unicode date patterns (UTS 35): `dd.MM.yyyy HH:mm`.
package struct DatePattern: Sendable {
  private enum Part: Hashable, Sendable {
    case year, month, day, hour, halfDayHour, minute, second, fraction, half, zone
    /// A month's English name, in full or its first three letters.
    case monthName, monthAbbreviation
    case byte(UInt8)
  }

  package struct Flaw: Error {
    package let reason: String
  }

  private var parts: [(part: Part, digits: ClosedRange<Int>)] = []

  package init(_ pattern: String) throws(Flaw) {
    var rest = Array(pattern.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "'") {
        try takeQuoted(&rest)
      } else if Self.isLetter(byte) {
        let run = rest.prefix { $0 == byte }
        rest = rest.dropFirst(run.count)
        parts.append(try Self.part(String(decoding: run, as: UTF8.self)))
      } else {
        parts.append((.byte(byte), 1...1))
        rest = rest.dropFirst()
      }
    }
    guard has(.year), has(.month) || has(.monthName) || has(.monthAbbreviation), has(.day) else {
      throw Flaw(reason: "a year, a month and a day are needed: yyyy, MM, dd")
    }
    guard has(.halfDayHour) == has(.half) else { throw Flaw(reason: "hh and a stand together") }
  }

  private func has(_ wanted: Part) -> Bool { parts.contains { $0.part == wanted } }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Text between apostrophes is literal; two apostrophes are one.
  private mutating func takeQuoted(_ rest: inout ArraySlice<UInt8>) throws(Flaw) {
    let quote = UInt8(ascii: "'")
    let text = rest.dropFirst().prefix { $0 != quote }
    guard rest.count > text.count + 1 else { throw Flaw(reason: "an apostrophe is not closed") }
    rest = rest.dropFirst(text.count + 2)
    for byte in text.isEmpty ? [quote] : Array(text) { parts.append((.byte(byte), 1...1)) }
  }

  private static func part(_ letters: String) throws(Flaw) -> (Part, ClosedRange<Int>) {
    if let known = known[letters] { return known }
    if letters.allSatisfy({ $0 == "S" }) { return (.fraction, 1...1) }
    throw Flaw(
      reason: letters == "yy"
        ? "yy lacks the century" : "\(letters) is not known: put text between apostrophes")
  }

  private static let known: [String: (Part, ClosedRange<Int>)] = [
    "yyyy": (.year, 4...4), "MM": (.month, 2...2), "M": (.month, 1...2), "MMM": (.monthAbbreviation, 1...1),
    "MMMM": (.monthName, 1...1), "dd": (.day, 2...2), "d": (.day, 1...2), "HH": (.hour, 2...2),
    "H": (.hour, 1...2), "hh": (.halfDayHour, 2...2), "h": (.halfDayHour, 1...2), "mm": (.minute, 2...2),
    "m": (.minute, 1...2), "ss": (.second, 2...2), "s": (.second, 1...2), "a": (.half, 1...1),
    "X": (.zone, 1...1), "XX": (.zone, 1...1), "XXX": (.zone, 1...1), "Z": (.zone, 1...1),
  ]

  // MARK: Reading

  private struct Found {
    var (year, month, day) = (0, 0, 0)
    var (hour, minute, second) = (0, 0, 0)
    var fraction = 0.0
    var isAfternoon: Bool?
    var zone: Int?
  }

  /// Returns nil if the text does not match. `zone` is the default offset in seconds east of Greenwich.
  package func read(_ text: UnsafeBufferPointer<UInt8>, zone: Int = 0) -> UTCTime.Instant? {
    var (reader, found) = (TimeReader(text), Found())
    for (part, digits) in parts {
      guard Self.take(part, digits, &reader, &found) else { return nil }
    }
    guard reader.isAtEnd, let date = CivilDate(checking: found.year, found.month, found.day) else {
      return nil
    }
    var hour = found.hour
    if let isAfternoon = found.isAfternoon {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    guard hour < 24, found.minute < 60, found.second <= 60 else { return nil }
    let seconds = date.daysSinceEpoch * UTCTime.secondsPerDay + hour * 3600 + found.minute * 60 + found.second
    return (Int64(seconds - (found.zone ?? zone)), found.fraction)
  }

  private static func take(
    _ part: Part, _ digits: ClosedRange<Int>, _ reader: inout TimeReader, _ found: inout Found
  ) -> Bool {
    func number(_ field: WritableKeyPath<Found, Int>) -> Bool {
      guard let value = reader.number(digits) else { return false }
      found[keyPath: field] = value
      return true
    }
    switch part {
    case .byte(let byte): return reader.take(byte)
    case .year: return number(\.year)
    case .month: return number(\.month)
    case .day: return number(\.day)
    case .hour, .halfDayHour: return number(\.hour)
    case .minute: return number(\.minute)
    case .second: return number(\.second)
    case .monthName: return take(month: false, &reader, &found)
    case .monthAbbreviation: return take(month: true, &reader, &found)
    case .half: return takeHalf(&reader, &found)
    case .fraction:
      guard let fraction = reader.fraction() else { return false }
      found.fraction = fraction
      return true
    case .zone:
      guard let zone = reader.zone() else { return false }
      found.zone = zone
      return true
    }
  }

  private static func takeHalf(_ reader: inout TimeReader, _ found: inout Found) -> Bool {
    let isMorning = reader.take(word: "am")
    guard isMorning || reader.take(word: "pm") else { return false }
    found.isAfternoon = !isMorning
    return true
  }

  private static func take(month isShort: Bool, _ reader: inout TimeReader, _ found: inout Found) -> Bool {
    for (number, name) in months.enumerated() where reader.take(word: name, letters: isShort ? 3 : nil) {
      found.month = number + 1
      return true
    }
    return false
  }

  private static let months: [StaticString] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
  ]
}
