import SeedFormat
package import SeedSystem

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// The clock of a time zone. Foundation contains the zone rules: no tzdata is needed, but new rules need a newer build.
package struct ZoneClock: Hashable, Sendable {
  private let zone: TimeZone
  /// The zone's IANA name, as written.
  package let name: String

  package init(_ name: String) throws(ScheduleMistake) {
    guard let zone = TimeZone(identifier: name) else { throw .zone(name, nearest: Self.nearest(to: name)) }
    (self.zone, self.name) = (zone, name)
  }

  private init(_ zone: TimeZone, _ name: String) { (self.zone, self.name) = (zone, name) }

  package static let utc = ZoneClock(.gmt, "UTC")

  private static func nearest(to name: String) -> String? {
    let names = TimeZone.knownTimeZoneIdentifiers
    if let same = names.first(where: { $0.lowercased() == name.lowercased() }) { return same }
    return nearestName(to: name, in: names)
  }

  /// The offset from UTC in seconds at a moment, given in seconds since 1970.
  func offset(at moment: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }

  /// The next offset change.
  func change(after moment: Int) -> Int? {
    zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(moment)))
      .map { Int($0.timeIntervalSince1970) }
  }

  /// The local day and time, to the minute, with the zone's name.
  package func text(_ time: UTCTime) -> String {
    let shown = time.adding(seconds: offset(at: time.secondsSinceEpoch)).text
    return "\(shown.prefix(10)) \(shown.dropFirst(11).prefix(5)) \(name)"
  }
}
