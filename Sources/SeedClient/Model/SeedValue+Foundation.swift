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

/// How a column has dates.
public enum SeedDateForm: Hashable, Sendable {
  /// A text such as `2026-08-01T12:00:00Z`, without parts of a second.
  case iso8601
  /// A number of seconds, with a fraction where the date has one.
  case secondsSince1970
}

extension SeedValue {
  /// A date in the form that the column has. One that is no number becomes NULL.
  public init(_ date: Date, as form: SeedDateForm) {
    let seconds = date.timeIntervalSince1970
    self =
      switch form {
      case .iso8601:
        Int(exactly: seconds.rounded(.down)).map { .text(UTCTime(secondsSinceEpoch: $0).text) } ?? .null
      case .secondsSince1970: Int64(exactly: seconds).map { .integer($0) } ?? seconds.seedValue
      }
  }
}
