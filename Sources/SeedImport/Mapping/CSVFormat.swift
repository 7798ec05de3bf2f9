/// How a document of CSV is written: as RFC 4180 says and with a header, unless told otherwise.
///
/// ```swift
/// let mapping = ImportMapping("stop", layout: .csv(CSVFormat(delimiter: ";", encoding: .windows1252)))
/// ```
public struct CSVFormat: Hashable, Sendable {
  /// What a document's bytes stand for.
  public enum Encoding: String, Hashable, Sendable, CaseIterable {
    /// UTF-8, with or without a byte order mark.
    case utf8 = "utf-8"
    /// ISO 8859-1.
    case latin1
    /// Windows' code page for Western Europe; it has no letters for the bytes 81, 8D, 8F, 90 and 9D.
    case windows1252 = "windows-1252"
  }

  /// What a field without any text is.
  public enum EmptyFields: String, Hashable, Sendable, CaseIterable {
    /// Within quotation marks the empty text, where its column takes texts; without them NULL, or the empty text in a
    /// column `TEXT NOT NULL`.
    case quotes
    /// NULL, with and without quotation marks.
    case null
    /// The empty text where its column is `TEXT`, else NULL.
    case text
    /// The empty text where its column is `TEXT NOT NULL`, else NULL.
    case auto
  }

  /// What stands before a number's fraction; nothing stands between thousands.
  public enum DecimalMark: String, Hashable, Sendable, CaseIterable {
    /// As in `1234.5`.
    case point = "."
    /// As in `1234,5`.
    case comma = ","
  }

  /// What stands between two fields: one ASCII character other than a quotation mark or a line end.
  public var delimiter: Character
  /// What the bytes stand for.
  public var encoding: Encoding
  /// The fields' names, for a document that has none, or in place of its own if `skip` is 1; `nil` where its first
  /// record names them.
  public var header: [String]?
  /// What a field without any text is.
  public var empty: EmptyFields
  /// What stands before a number's fraction, in fields for columns of numbers.
  public var decimal: DecimalMark
  /// Records before the header, or before the first row where `header` gives the names, that are passed over.
  public var skip: Int

  /// Commas, UTF-8, names in the first record.
  public init(
    delimiter: Character = ",", encoding: Encoding = .utf8, header: [String]? = nil,
    empty: EmptyFields = .quotes, decimal: DecimalMark = .point, skip: Int = 0
  ) {
    (self.delimiter, self.encoding, self.header, self.empty) = (delimiter, encoding, header, empty)
    (self.decimal, self.skip) = (decimal, skip)
  }
}

extension CSVFormat.Encoding {
  /// An encoding by one of its usual names.
  package init?(named name: String) {
    switch name.lowercased() {
    case "utf8": self = .utf8
    case "iso-8859-1", "iso8859-1", "latin-1": self = .latin1
    case "cp1252", "windows1252": self = .windows1252
    case let name: self.init(rawValue: name)
    }
  }

  /// For messages.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// As it is written in a sentence.
  var title: String { self == .utf8 ? "UTF-8" : rawValue }
}

extension CSVFormat {
  /// A delimiter as files and command lines spell it; `nil` for anything that cannot be one.
  package static func delimiter(spelled text: String) -> Character? {
    if ["tab", "\\t"].contains(text) { return "\t" }
    guard text.count == 1, let character = text.first, byte(character) != nil else { return nil }
    return character
  }

  /// The byte that a delimiter is; `nil` for what cannot be one.
  static func byte(_ delimiter: Character) -> UInt8? {
    guard let byte = delimiter.asciiValue, ![0, 0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte) else {
      return nil
    }
    return byte
  }

  /// Of a header, the names that stand there twice.
  static func doubled(_ names: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return names.filter { !seen.insert(Array($0.utf8)).inserted }
  }
}
