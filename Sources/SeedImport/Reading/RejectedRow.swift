import SeedDatabase
import SeedFormat

/// The reason why a value or row is rejected, before its place is known.
struct RejectedRow: Error {
  let code: ImportIssue.Code
  var message: String
  var column: String?
  var offset: Int?
  var key: String?
  var table: String?

  init(
    _ code: ImportIssue.Code, _ message: String, column: String? = nil, offset: Int? = nil, key: String? = nil
  ) {
    (self.code, self.message) = (code, message)
    (self.column, self.offset, self.key) = (column, offset, key)
  }

  init(_ error: ImportError, _ table: TableSchema) {
    switch error {
    case .constraint(_, let key, let message):
      self.init(Self.code(message), message, column: Self.column(message, table), key: key)
    case .nullInKey(_, let column): self.init(.missingKey, error.description, column: column)
    default: self.init(.check, error.description)
    }
  }

  /// `message` is SQLite's message about a unique conflict.
  init(taken message: String, _ table: TableSchema) {
    self.init(.unique, message, column: Self.column(message, table))
  }

  /// SQLite's messages about constraints start with the kind, followed by a colon and the column.
  private static func code(_ message: String) -> ImportIssue.Code {
    if message.hasPrefix("NOT NULL") { return .notNull }
    if message.hasPrefix("UNIQUE") { return .unique }
    if message.hasPrefix("CHECK") { return .check }
    return message.hasPrefix("cannot store") ? .typeMismatch : .conflict
  }

  private static func column(_ message: String, _ table: TableSchema) -> String? {
    if message.hasPrefix("CHECK") { return checkedColumn(message, table) }
    return table.columnNames.first {
      message.hasSuffix(": \(table.name).\($0)") || message.hasSuffix("column \(table.name).\($0)")
    }
  }

  /// SQLite's message ends with the CHECK's expression. Returns its only column, or `nil` if it has several.
  private static func checkedColumn(_ message: String, _ table: TableSchema) -> String? {
    let expression = message.split(separator: ":", maxSplits: 1).last ?? ""
    let words = Set(expression.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    let columns = table.columnNames.filter { words.contains($0[...]) }
    return columns.count == 1 ? columns[0] : nil
  }
}

/// Converts an error about one row to its rejection; other errors end the import.
func rejecting<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as ImportError {
    throw RejectedRow(error, table)
  } catch let error as DatabaseError {
    guard error.saysBadRow else { throw error }
    throw RejectedRow(.typeMismatch, error.message)
  }
}
