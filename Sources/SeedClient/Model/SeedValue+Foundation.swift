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
  /// Its text.
  public var seedValue: SeedValue { .text(absoluteString) }
}

extension UUID: SeedValueConvertible {
  /// Its text in upper case, as `uuidString` has it. SQLite compares letters exactly: where a column has lower case, or
  /// bytes, give it a text or a blob.
  public var seedValue: SeedValue { .text(uuidString) }
}

/// How a column has dates. SQLite compares texts letter by letter, so the form must be the column's own; where that is
/// not the same in all rows, compare by SQLite's functions: `date(opened) = date(\(day, as: .day))`.
public enum SeedDateForm: Hashable, Sendable {
  /// A text such as `2026-08-01T12:00:00Z`, without parts of a second.
  case iso8601
  /// A text such as `2026-08-01T12:00:00.000Z`.
  case iso8601Milliseconds
  /// A text such as `2026-08-01 12:00:00`, as SQLite's `datetime()` and `CURRENT_TIMESTAMP` make it.
  case sqlite
  /// A text such as `2026-08-01`: the day in UTC.
  case day
  /// A number of seconds, with a fraction where the date has one.
  case secondsSince1970
  /// A whole number of milliseconds. Read such a column as a number: a `Date` takes numbers for seconds.
  case millisecondsSince1970
}

extension SeedValue {
  /// A date in the form that the column has. One that the form cannot say, as it is no number, becomes NULL.
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
    // Milliseconds are what a text says of them, while a second has begun or not.
    let scaled = form == .iso8601Milliseconds ? (seconds * 1000).rounded() : seconds.rounded(.down)
    guard let count = Int(exactly: scaled) else { return nil }
    let rest = ((count % unit) + unit) % unit
    let text = UTCTime(secondsSinceEpoch: (count - rest) / unit).text
    switch form {
    case .iso8601Milliseconds: return "\(text.dropLast()).\(String(rest + 1000).dropFirst())Z"
    case .sqlite: return String(text.dropLast()).replacing("T", with: " ")
    case .day: return String(text.prefix { $0 != "T" })
    default: return text
    }
  }
}
