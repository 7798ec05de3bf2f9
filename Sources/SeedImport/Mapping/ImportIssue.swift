package import SeedFormat

/// A reason why a row was not imported, or was not imported as it is in the document.
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
    /// A number does not fit 64 bits or a double, or a date does not fit its column.
    case outOfRange
    /// A conversion rejected the value.
    case conversion
    /// A `NOT NULL` column would be NULL.
    case notNull
    /// A CHECK failed.
    case check
    /// Another row has a value that must be unique.
    case unique
    /// The key exists, and the policy forbids changing the row.
    case conflict
    /// A reference is broken.
    case reference
    /// Rows that the import does not mention were kept, because a list is missing or a rejected row's key is unknown.
    case notDeleted
  }

  /// The document's name. It is empty, and the row and the offset are 0, if the issue is about the whole import.
  public var document: String
  /// The row within the document, from 1; a CSV's header does not count.
  public var row: Int
  /// The offset of the row's or value's first byte from the document's start.
  public var offset: Int
  /// The line in which the row begins, from 1; only in CSV and in JSON lines.
  public var line: Int?
  /// The table.
  public var table: String
  /// The row's key, if known.
  public var key: String?
  /// The column, or the unreadable CSV field, if the issue is about one.
  public var column: String?
  /// The kind.
  public var code: Code
  /// The problem, as a sentence without a full stop.
  public var message: String
}

extension ImportIssue: CustomStringConvertible {
  /// The place and the reason in one line.
  public var description: String {
    let column = column.map { ", column \"\($0)\"" } ?? ""
    let place = document.isEmpty ? "" : "\(place): "
    return "\(place)table \"\(table)\"\(key.map { ", \($0)" } ?? "")\(column): \(message)".printable
  }

  private var place: String { "\(document), row \(row)\(line.map { ", line \($0)" } ?? ""), byte \(offset)" }
}

/// A row that was not imported, or was imported without some of its nested rows.
public struct ImportReject: Hashable, Sendable {
  /// The row's first issue; the report lists all.
  public var issue: ImportIssue
  /// The index of its list in the mapping.
  public var list: Int
  /// The row's name if the list is a dictionary.
  public var name: String?
  /// The row as JSON, or its text as a JSON string if the row cannot be read.
  public var value: [UInt8]

  /// One line of JSON, without the line end: the issue's members, then the row.
  public var json: [UInt8] {
    let source: [JSONMember] = .init(("list", JSONValue(list)), ("name", name.map(JSONValue.string)))
    let members = JSONValue.object(issue.origin + source + issue.matter).bytes
    return members.dropLast() + Array(",\"value\":".utf8) + value + [UInt8(ascii: "}")]
  }
}

extension ImportIssue {
  fileprivate var origin: [JSONMember] {
    .init(
      ("document", .string(document)), ("row", JSONValue(row)), ("offset", JSONValue(offset)),
      ("line", line.map(JSONValue.init)))
  }

  fileprivate var matter: [JSONMember] {
    .init(
      ("table", .string(table)), ("key", key.map(JSONValue.string)), ("column", column.map(JSONValue.string)),
      ("code", .string(code.rawValue)),
      ("message", .string(message)))
  }

  package var json: JSONValue { .object(document.isEmpty ? matter : origin + matter) }
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
    /// A table would lose more rows than the policy allows, because the import does not mention them.
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
