import SeedDatabase
import SeedFormat

/// What SQLite refuses about a row, as the row's issue; everything else is the import's end.
func refusing<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as ImportError {
    throw Refusal(error, table)
  } catch let error as DatabaseError {
    guard error.primaryCode == ResultCode.mismatch else { throw error }
    throw Refusal(.typeMismatch, error.message)
  }
}

extension ResultCode {
  /// SQLITE_MISMATCH: something else than an integer for an INTEGER PRIMARY KEY.
  static let mismatch: Int32 = 20
}

extension Refusal {
  /// What a writer says of one row.
  init(_ error: ImportError, _ table: TableSchema) {
    switch error {
    case .constraint(_, let key, let message):
      self.init(Self.code(message), message, column: Self.column(message, table), key: key)
    case .nullInKey(_, let column): self.init(.missingKey, error.description, column: column)
    default: self.init(.check, error.description)
    }
  }

  /// SQLite's messages of constraints begin with their kind, and name the column behind a colon.
  private static func code(_ message: String) -> ImportIssue.Code {
    if message.hasPrefix("NOT NULL") { return .notNull }
    if message.hasPrefix("UNIQUE") { return .unique }
    if message.hasPrefix("CHECK") { return .check }
    return message.hasPrefix("cannot store") ? .typeMismatch : .conflict
  }

  private static func column(_ message: String, _ table: TableSchema) -> String? {
    table.columnNames.first {
      message.hasSuffix(": \(table.name).\($0)") || message.hasSuffix("column \(table.name).\($0)")
    }
  }
}
