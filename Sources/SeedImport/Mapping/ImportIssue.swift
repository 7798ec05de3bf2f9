/// Why one row was not taken in, or not as it stands.
public struct ImportIssue: Hashable, Sendable {
  /// The kind of an issue, stable over releases.
  public enum Code: String, Hashable, Sendable {
    /// The document is not valid JSON there.
    case malformed
    /// Something else than an object stands where a row should be.
    case notAnObject
    /// The row lacks a column of its key.
    case missingKey
    /// A value does not fit its column.
    case typeMismatch
    /// A number has more bits than its column, or is beyond a double's range.
    case outOfRange
    /// A conversion refused the value.
    case conversion
    /// NULL where the column forbids it.
    case notNull
    /// A CHECK failed.
    case check
    /// Another row has a value that may occur once only.
    case unique
    /// A trigger refused the row, or left it out.
    case trigger
    /// A row has this key already, and the policy forbids to change it.
    case conflict
    /// A reference leads nowhere.
    case reference
    /// Rows that the import does not mention were kept, for a rejected row's key could not be read.
    case notDeleted
  }

  /// The document's name; empty where the issue is about the import as a whole, which has no row and no byte either.
  public var document: String
  /// The row within the document, from 0.
  public var row: Int
  /// The row's or value's first byte, from the document's start.
  public var offset: Int
  /// The line in which the row begins, from 1; only in CSV, whose rows may have several lines.
  public var line: Int?
  /// The table.
  public var table: String
  /// The row's key, as far as it is known.
  public var key: String?
  /// The column, where it is one column's matter.
  public var column: String?
  /// The name that the header gives the field, where it is one field's matter; only in CSV.
  public var field: String?
  /// The kind.
  public var code: Code
  /// What is wrong, as a sentence without its full stop.
  public var message: String
  /// Whether the document's first record named the fields, and is none of the rows.
  package var followsHeader = false

  package init(
    document: String, row: Int, offset: Int, line: Int? = nil, table: String, key: String? = nil,
    column: String? = nil,
    field: String? = nil, code: Code, message: String
  ) {
    (self.document, self.row, self.offset, self.line) = (document, row, offset, line)
    (self.table, self.key, self.column, self.field) = (table, key, column, field)
    (self.code, self.message) = (code, message)
  }
}

extension ImportIssue: CustomStringConvertible {
  /// One line with the place and the reason.
  public var description: String {
    let column = column.map { ", column \"\($0)\"" } ?? ""
    let field = field.map { ", field \"\($0)\"" } ?? ""
    let place = document.isEmpty ? "" : "\(place): "
    return "\(place)table \"\(table)\"\(key.map { ", \($0)" } ?? "")\(column)\(field): \(message)"
  }

  /// Records of CSV are numbered as people count them.
  private var place: String {
    guard let line else { return "\(document), row \(row), byte \(offset)" }
    let header = followsHeader ? " after the header" : ""
    return "\(document), record \(row + 1)\(header), line \(line), byte \(offset)"
  }
}

/// Why an import ended. The database is as it was before, or as the last batch left it.
public struct ImportFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whose matter a failure is.
  public enum Code: String, Hashable, Sendable {
    /// The mapping names what the database does not have, or contradicts itself.
    case mapping
    /// The document is not valid, or has nothing where rows are expected.
    case document
    /// A row cannot be taken in, and the policy says to end there.
    case row
    /// References lead nowhere, and the policy says to end there.
    case references
    /// A table would lose more rows than the policy allows, because the import does not mention them.
    case shrunk
    /// The database's schema contradicts itself.
    case schema
    /// The database or its connection cannot be used for imports.
    case database
    /// A file of the database or of the document could not be read or written, or SQLite failed.
    case io
  }

  /// Whose matter it is.
  public let code: Code
  /// What was found where, and what to do.
  public let message: String
  /// The row's issue, where it is one row's matter.
  public let issue: ImportIssue?

  package init(_ code: Code, _ message: String, issue: ImportIssue? = nil) {
    (self.code, self.message, self.issue) = (code, message, issue)
  }

  /// The message.
  public var description: String { message }
}
