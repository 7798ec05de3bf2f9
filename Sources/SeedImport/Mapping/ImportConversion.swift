public import SeedFormat

/// What is done to a value between the document and its column.
public enum ImportConversion: Sendable {
  /// What seconds are counted from.
  public enum TimeOrigin: Int64, Hashable, Sendable {
    /// 1970-01-01T00:00:00Z.
    case unix = 0
    /// 2001-01-01T00:00:00Z, as Core Data stores dates.
    case coreData = 978_307_200
  }

  /// Numbers stay numbers, and in a text's column their digits; a text becomes a number in a number's column where
  /// that is exact, true is 1.
  case automatic
  /// An ISO 8601 date, or date and time, as seconds; with a fraction only where the text has one.
  case iso8601(TimeOrigin = .unix)
  /// A number as its digits, as the document has them.
  case text
  /// A text as the number that it spells.
  case number
  /// Base64 as the bytes that it spells.
  case base64
  /// The value, whatever it is, as compact JSON; numbers keep their digits.
  case json
  /// The app's own; what it throws becomes an issue of the row. Objects and arrays come to it as JSON. It may be
  /// asked twice about one row, where that row or one near it is refused.
  case custom(@Sendable (SeedValue) throws -> SeedValue)
}
