/// A reason why a row was not imported, or not as it is in the document.
public struct ImportIssue: Hashable, Sendable {
  /// The kind of an issue, stable across releases.
  public enum Code: String, Hashable, Sendable {
    /// The document is not valid JSON at this place.
    case malformed
    /// A row is not an object.
    case notAnObject
    /// The row lacks a column of its key.
    case missingKey
    /// A value does not fit its column.
    case typeMismatch
    /// A number has more bits than its column, or is beyond a double's range.
    case outOfRange
    /// A conversion rejected the value.
    case conversion
    /// A `NOT NULL` column would be NULL.
    case notNull
    /// A CHECK failed.
    case check
    /// Another row has a value that must be unique.
    case unique
    /// A trigger rejected or skipped the row.
    case trigger
    /// The key exists, and the policy forbids changing the row.
    case conflict
    /// A reference is broken.
    case reference
    /// Unmentioned rows were kept because a rejected row's key could not be read.
    case notDeleted
  }

  /// The document's name; empty if the issue is about the whole import, which has no row or offset either.
  public var document: String
  /// The row within the document, from 1; a CSV's header is no row.
  public var row: Int
  /// The first byte of the row or value, from the document's start.
  public var offset: Int
  /// The line in which the row begins, from 1; only in CSV and in documents of lines.
  public var line: Int?
  /// The table.
  public var table: String
  /// The row's key, if known.
  public var key: String?
  /// The column, if the issue is about one.
  public var column: String?
  /// The member or CSV field, relative to the row's object, if it does not have the column's name.
  public var member: MemberPath?
  /// The kind.
  public var code: Code
  /// The problem, as a sentence without a full stop.
  public var message: String

  package init(
    document: String, row: Int, offset: Int, line: Int? = nil, table: String, key: String? = nil,
    column: String? = nil,
    member: MemberPath? = nil, code: Code, message: String
  ) {
    (self.document, self.row, self.offset, self.line) = (document, row, offset, line)
    (self.table, self.key, self.column, self.member) = (table, key, column, member)
    (self.code, self.message) = (code, message)
  }
}

extension ImportIssue: CustomStringConvertible {
  /// The place and the reason in one line.
  public var description: String {
    let column = column.map { ", column \"\($0)\"" } ?? ""
    let member = member.map { ", member \($0)" } ?? ""
    let place = document.isEmpty ? "" : "\(place): "
    return "\(place)table \"\(table)\"\(key.map { ", \($0)" } ?? "")\(column)\(member): \(message)"
  }

  private var place: String {
    "\(document), row \(row)\(line.map { ", line \($0)" } ?? ""), byte \(offset)"
  }
}

/// The reason why an import ended. The database is as before, or as the last committed batch left it.
public struct ImportFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cause of a failure.
  public enum Code: String, Hashable, Sendable {
    /// The mapping does not fit the database, or contradicts itself.
    case mapping
    /// The document is invalid, or has no rows in the expected place.
    case document
    /// A row was rejected, and the policy ends the import.
    case row
    /// References are broken, and the policy ends the import.
    case references
    /// A table would lose more unmentioned rows than the policy allows.
    case shrunk
    /// The database's schema contradicts itself.
    case schema
    /// The database or its connection cannot be used for imports.
    case database
    /// A file of the database or of the document could not be read or written, or SQLite failed.
    case io
  }

  /// The cause.
  public let code: Code
  /// The problem, its place and the remedy.
  public let message: String
  /// The row's issue, if one row caused the failure.
  public let issue: ImportIssue?

  package init(_ code: Code, _ message: String, issue: ImportIssue? = nil) {
    (self.code, self.message, self.issue) = (code, message, issue)
  }

  /// The message.
  public var description: String { message }
}
