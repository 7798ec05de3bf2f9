public import SeedFormat
import SeedSystem

public import struct Foundation.Data
public import struct Foundation.Date
public import struct Foundation.URL
public import struct Foundation.UUID

extension Data: SeedValueConvertible {
  /// A blob.
  public var seedValue: SeedValue { .blob(Array(self)) }
}

extension URL: SeedValueConvertible {
  /// The URL as text.
  public var seedValue: SeedValue { .text(absoluteString) }
}

extension UUID: SeedValueConvertible {
  /// The UUID in lower case, as PostgreSQL and most programs write it. For other columns, see ``SeedUUIDForm``.
  public var seedValue: SeedValue { SeedValue(self, as: .text) }
}

/// The form in which a column stores UUIDs. For a column with uppercase UUIDs, bind `id.uuidString`.
public enum SeedUUIDForm: Hashable, Sendable {
  /// Text in lower case.
  case text
  /// 16 bytes.
  case blob
}

extension SeedValue {
  /// Converts a UUID to the column's form.
  public init(_ id: UUID, as form: SeedUUIDForm) {
    switch form {
    case .text: self = .text(id.uuidString.lowercased())
    case .blob: self = .blob(withUnsafeBytes(of: id.uuid) { Array($0) })
    }
  }
}

/// The form in which a column stores dates. SQLite compares strings byte by byte, so bind dates in the
/// column's form. If a column mixes forms, use SQLite's functions: `date(opened) = date(\(day, as: .day))`.
public enum SeedDateForm: Hashable, Sendable {
  /// Text such as `2026-08-01T12:00:00Z`, without fractional seconds.
  case iso8601
  /// Text such as `2026-08-01T12:00:00.000Z`.
  case iso8601Milliseconds
  /// Text such as `2026-08-01 12:00:00`, as produced by SQLite's `datetime()` and `CURRENT_TIMESTAMP`.
  case sqlite
  /// Text such as `2026-08-01`, the day in UTC.
  case day
  /// Seconds, with a fraction if the date has one.
  case secondsSince1970
  /// Whole milliseconds. Decode such a column as a number, because decoding a `Date` expects seconds.
  case millisecondsSince1970
}

extension SeedValue {
  /// A date in the column's form. A date that the form cannot express, such as NaN or the year 10000 as text, becomes NULL.
  public init(_ date: Date, as form: SeedDateForm) {
    let seconds = date.timeIntervalSince1970
    switch form {
    case .secondsSince1970: self = Int64(exactly: seconds).map { .integer($0) } ?? seconds.seedValue
    case .millisecondsSince1970:
      self = Int64(exactly: (seconds * 1000).rounded()).map { .integer($0) } ?? .null
    default: self = Self.text(seconds, form).map { .text($0) } ?? .null
    }
  }

  private static func text(_ seconds: Double, _ form: SeedDateForm) -> String? {
    let unit = form == .iso8601Milliseconds ? 1000 : 1
    // Milliseconds are rounded; whole seconds are truncated.
    let scaled = form == .iso8601Milliseconds ? (seconds * 1000).rounded() : seconds.rounded(.down)
    guard let count = Int(exactly: scaled), let second = Int(exactly: (scaled / Double(unit)).rounded(.down))
    else { return nil }
    let time = UTCTime(secondsSinceEpoch: second)
    // `UTCTime` clamps to the years 0 to 9999.
    guard time.secondsSinceEpoch == second else { return nil }
    let (text, rest) = (time.text, count - second * unit)
    switch form {
    case .iso8601Milliseconds: return "\(text.dropLast()).\(String(rest + 1000).dropFirst())Z"
    case .sqlite: return String(text.dropLast()).replacing("T", with: " ")
    case .day: return String(text.prefix { $0 != "T" })
    default: return text
    }
  }
}
