import SeedFormat
package import SeedSystem

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// What clocks show somewhere. The rules of all zones are part of the program, for Foundation brings them along: the
/// machine needs no tzdata, and a law that changes needs a newer build.
package struct ZoneClock: Hashable, Sendable {
  private let zone: TimeZone
  /// The zone's IANA name, as it was written.
  package let name: String

  /// The clock of a zone by its IANA name.
  package init(_ name: String) throws(ScheduleMistake) {
    guard let zone = TimeZone(identifier: name) else { throw .zone(name, nearest: Self.nearest(to: name)) }
    (self.zone, self.name) = (zone, name)
  }

  private init(_ zone: TimeZone, _ name: String) { (self.zone, self.name) = (zone, name) }

  /// Universal time.
  package static let utc = ZoneClock(.gmt, "UTC")

  private static func nearest(to name: String) -> String? {
    let names = TimeZone.knownTimeZoneIdentifiers
    if let same = names.first(where: { $0.lowercased() == name.lowercased() }) { return same }
    return nearestName(to: name, in: names)
  }

  /// Seconds east of Greenwich at a moment, which is in seconds since 1970.
  func offset(at moment: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }

  /// The next moment at which the clock is put forward or back.
  func change(after moment: Int) -> Int? {
    zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(moment)))
      .map { Int($0.timeIntervalSince1970) }
  }

  /// The day and time that the clock shows, to the minute, and whose clock it is.
  package func text(_ time: UTCTime) -> String {
    let shown = time.adding(seconds: offset(at: time.secondsSinceEpoch)).text
    return "\(shown.prefix(10)) \(shown.dropFirst(11).prefix(5)) \(name)"
  }
}
