import SeedFormat
package import SeedSystem

extension UTCTime {
  /// Whether fewer than `seconds` seconds have passed since `earlier`. False if the clock was set back.
  package func isWithin(_ seconds: Int, of earlier: UTCTime) -> Bool {
    (0..<seconds).contains(secondsSinceEpoch - earlier.secondsSinceEpoch)
  }
}

/// A duration for people, such as `3 hours`.
package struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let seconds: Int

  private static let units = [
    ("days", UTCTime.secondsPerDay), ("hours", 3600), ("minutes", 60),
  ]

  /// The time between two moments, or 0 if `end` is before `start` because clocks differ.
  package init(from start: UTCTime, to end: UTCTime) {
    seconds = max(0, end.secondsSinceEpoch - start.secondsSinceEpoch)
  }

  package init(seconds: Int) { self.seconds = seconds }

  package init(_ duration: Duration) { seconds = Int(duration.components.seconds) }

  /// Describes the syntax that ``init(_:)-(String)`` accepts.
  package static let expected =
    "a whole number from 1 to \(mostUnits) and a unit, such as 90s, 15m, 26h or 3d"

  /// Parses a number and a letter, such as `90s`, `15m`, `26h` or `3d`.
  package init?(_ text: String) {
    let letters: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": UTCTime.secondsPerDay]
    guard let length = text.last.flatMap({ letters[$0] }),
      let number = canonicalDecimal(text.dropLast(), in: 1...Self.mostUnits)
    else { return nil }
    seconds = number * length
  }

  /// Larger numbers are probably typing errors.
  private static let mostUnits = 1_000_000

  package static func < (one: TimeSpan, other: TimeSpan) -> Bool { one.seconds < other.seconds }

  /// The exact duration in the largest unit that divides it, such as `10 minutes`. For configured values.
  package var exactly: String {
    let unit = (Self.units + [("seconds", 1)]).first { seconds >= $0.1 && seconds.isMultiple(of: $0.1) }
    guard let (name, length) = unit else { return "\(seconds) seconds" }
    let count = seconds / length
    return count == 1 ? "1 \(name.dropLast())" : "\(count) \(name)"
  }

  /// Formats a measured time as `350 ms` or `4.2 s`, and from one minute on like any other span.
  package static func taken(milliseconds: Int) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds) ms"
    case ..<60_000: "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
    default: "\(TimeSpan(seconds: milliseconds / 1000))"
    }
  }

  /// The duration rounded down, in the largest unit of which there are at least two.
  package var description: String {
    guard let (name, length) = Self.units.first(where: { seconds >= 2 * $0.1 }) else {
      return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
    return "\(seconds / length) \(name)"
  }
}
