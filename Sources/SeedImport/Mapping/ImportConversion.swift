public import SeedFormat

/// What is done to a value between the document and its column.
public enum ImportConversion: Sendable {
  /// How a date is written.
  public enum DateFormat: Hashable, Sendable {
    /// ISO 8601 with or without its separators, as PostgreSQL writes it too: a date, or a date and time.
    case iso8601
    /// Seconds since 1970, as a number or a text that spells one.
    case seconds
    /// Milliseconds since 1970, as a number or a text that spells one.
    case milliseconds
    /// By letters for its parts, such as `dd.MM.yyyy HH:mm`: see the article "Mapping files".
    case pattern(String)
  }

  /// How a column keeps a date.
  public enum DateForm: String, Hashable, Sendable, CaseIterable {
    /// Seconds since 1970. A fraction goes only into columns that are not INTEGER, and only where there is one.
    case seconds
    /// Whole milliseconds since 1970.
    case milliseconds
    /// Seconds since 2001, as Core Data stores dates; a fraction as with `seconds`.
    case coredata
    /// ISO 8601 in universal time, such as `2026-01-02T03:04:05Z`.
    case text
  }

  /// By the column's type: a number becomes its digits as a text, a text a number if that is exact; true is 1.
  case automatic
  /// A date. `zone` is how many seconds it is east of Greenwich where its text does not say.
  case date(_ format: DateFormat = .iso8601, as: DateForm = .seconds, zone: Int = 0)
  /// For each plain value, as the document spells it, another one; a value that is not listed becomes `otherwise`, or
  /// is refused where that is not given. NULL stays NULL; but an empty field of CSV is looked up as the empty text
  /// first. A spelling stands for its letters in all Unicode forms.
  case values(_ values: [String: SeedValue], otherwise: SeedValue? = nil)
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

extension ImportConversion {
  /// Whether an object or an array is a value to it.
  var takesObjects: Bool {
    switch self {
    case .json, .custom: true
    case .automatic, .date, .values, .text, .number, .base64: false
    }
  }
}

extension ColumnMapping {
  /// Whether it takes a row that is a plain value instead of an object.
  var takesBareValue: Bool { member.steps.isEmpty && !conversion.takesObjects }
}
