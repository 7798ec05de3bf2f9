public import SeedFormat

/// How a document's value becomes a column's value.
public enum ImportConversion: Sendable {
  /// The format of a date in the document.
  public enum DateFormat: Hashable, Sendable {
    /// ISO 8601 with or without separators, or PostgreSQL's form: a date, or a date and time.
    case iso8601
    /// Seconds since 1970, as a number or a text.
    case seconds
    /// Milliseconds since 1970, as a number or a text.
    case milliseconds
    /// A pattern such as `dd.MM.yyyy HH:mm`: see the article "Mapping files".
    case pattern(String)
  }

  /// The form of a date in its column.
  public enum DateForm: String, Hashable, Sendable, CaseIterable {
    /// Seconds since 1970. A fraction is kept only if the column is not INTEGER.
    case seconds
    /// Whole milliseconds since 1970.
    case milliseconds
    /// Seconds since 2001, as Core Data stores dates; fractions as with `seconds`.
    case coredata
    /// ISO 8601 in universal time, such as `2026-01-02T03:04:05Z`.
    case text
  }

  /// Converts by the column's type: a number to text by its digits, a text to a number if that is exact, true to 1.
  case automatic
  /// Converts a date. `zone` is the offset east of Greenwich in seconds for texts that give none.
  case date(_ format: DateFormat = .iso8601, as: DateForm = .seconds, zone: Int = 0)
  /// Replaces each plain value, as the document spells it. Unlisted values become `otherwise`, or are rejected without
  /// one. NULL stays NULL, but an empty CSV field is looked up as the empty text first. All Unicode forms of a spelling
  /// match.
  case values(_ values: [String: SeedValue], otherwise: SeedValue? = nil)
  /// Stores a number as text with the document's digits.
  case text
  /// Parses a text as a number.
  case number
  /// Decodes Base64.
  case base64
  /// Stores any value as compact JSON; numbers keep their digits.
  case json
  /// Calls the app's function; an error that it throws becomes an issue of the row. Objects and arrays are passed as
  /// JSON. It may run twice for a row if that row or one near it is rejected.
  case custom(@Sendable (SeedValue) throws -> SeedValue)
}

extension ImportConversion {
  /// Whether it accepts an object or an array.
  var takesObjects: Bool {
    switch self {
    case .json, .custom: true
    case .automatic, .date, .values, .text, .number, .base64: false
    }
  }
}

extension ColumnMapping {
  /// Whether the column accepts a plain value in place of the row's object.
  var takesBareValue: Bool { member.steps.isEmpty && !conversion.takesObjects }
}
