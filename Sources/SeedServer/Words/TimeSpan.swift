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

  /// In the largest unit of which there are two.
  package var description: String {
    guard let (name, length) = Self.units.first(where: { seconds >= 2 * $0.1 }) else {
      return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
    return "\(seconds / length) \(name)"
  }
}
