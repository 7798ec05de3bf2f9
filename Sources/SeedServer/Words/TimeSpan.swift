import SeedFormat
package import SeedSystem

/// A time for people: `3 hours`.
package struct TimeSpan: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let seconds: Int

  private static let units = [
    ("days", UTCTime.secondsPerDay), ("hours", 3600), ("minutes", 60),
  ]

  /// From one moment to another; none where clocks disagree about their order.
  package init(from start: UTCTime, to end: UTCTime) {
    seconds = max(0, end.secondsSinceEpoch - start.secondsSinceEpoch)
  }

  package init(seconds: Int) { self.seconds = seconds }

  /// The whole seconds of it.
  package init(_ duration: Duration) { seconds = Int(duration.components.seconds) }

  /// What ``init(_:)-(String)`` reads.
  package static let expected =
    "a whole number from 1 to \(mostUnits) and a unit, such as 90s, 15m, 26h or 3d"

  /// A number and a letter: `90s`, `15m`, `26h`, `3d`.
  package init?(_ text: String) {
    let letters: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": UTCTime.secondsPerDay]
    guard let length = text.last.flatMap({ letters[$0] }),
      let number = canonicalDecimal(text.dropLast(), in: 1...Self.mostUnits)
    else { return nil }
    seconds = number * length
  }

  /// More of a unit is a slip of the hand.
  private static let mostUnits = 1_000_000

  package static func < (one: TimeSpan, other: TimeSpan) -> Bool { one.seconds < other.seconds }

  /// Without rounding, in the largest unit that it is a multiple of: what was configured, as `10 minutes`.
  package var exactly: String {
    let unit = (Self.units + [("seconds", 1)]).first { seconds >= $0.1 && seconds.isMultiple(of: $0.1) }
    guard let (name, length) = unit else { return "\(seconds) seconds" }
    let count = seconds / length
    return count == 1 ? "1 \(name.dropLast())" : "\(count) \(name)"
  }

  /// How long something took: `350 ms`, `4.2 s`, then as any span.
  package static func taken(milliseconds: Int) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds) ms"
    case ..<60_000: "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
    default: "\(TimeSpan(seconds: milliseconds / 1000))"
    }
  }

  /// In the largest unit of which there are two.
  package var description: String {
    guard let (name, length) = Self.units.first(where: { seconds >= 2 * $0.1 }) else {
      return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
    return "\(seconds / length) \(name)"
  }
}
