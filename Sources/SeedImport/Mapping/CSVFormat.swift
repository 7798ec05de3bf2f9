/// The format of a CSV document in UTF-8: RFC 4180 with a header by default.
///
/// ```swift
/// let mapping = ImportMapping("stop", layout: .csv(CSVFormat(delimiter: ";")))
/// ```
public struct CSVFormat: Hashable, Sendable {
  /// The value of an empty field.
  public enum EmptyFields: String, Hashable, Sendable, CaseIterable {
    /// A quoted field is the empty string if its column accepts strings. An unquoted one is NULL, or the empty string
    /// in a `TEXT NOT NULL` column.
    case quotes
    /// NULL, with and without quotation marks.
    case null
    /// The empty string if the column is `TEXT`, else NULL.
    case text
    /// The empty string if the column is `TEXT NOT NULL`, else NULL.
    case auto
  }

  /// The separator of fields: one ASCII character other than a quotation mark or a line end.
  public var delimiter: Character
  /// The fields' names for a document without a header; `nil` if the first record names the fields.
  public var header: [String]?
  /// The value of an empty field.
  public var empty: EmptyFields

  /// Creates a format; by default, commas separate fields, and the first record names them.
  public init(delimiter: Character = ",", header: [String]? = nil, empty: EmptyFields = .quotes) {
    (self.delimiter, self.header, self.empty) = (delimiter, header, empty)
  }

  /// Parses a delimiter from a mapping file or an option; `nil` if it is invalid.
  package static func delimiter(spelled text: String) -> Character? {
    if ["tab", "\\t"].contains(text) { return "\t" }
    guard text.count == 1, let character = text.first, byte(character) != nil else { return nil }
    return character
  }

  static func byte(_ delimiter: Character) -> UInt8? {
    guard let byte = delimiter.asciiValue, ![0, 0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte) else {
      return nil
    }
    return byte
  }
}
