import SeedDatabase
import SeedFormat

/// Explains why SQLite or the schema's rules reject a part of the origin, with a remedy.
package enum SkipCause: Hashable, Sendable {
  case noKey
  case reservedName
  case collation(String)
  case virtualTable
  case searchContent(String)
  /// SQLite's message about a function or module that clients may lack.
  case unknown(String)
  /// SQLite's message about a table or column that the schema lacks.
  case missing(String)
  /// The message of SQLite or a rule.
  case other(String)

  init(_ error: any Error) {
    self =
      switch error {
      case let error as DatabaseError: Self.refusal(error.message)
      case SchemaProblem.noKey: .noKey
      case SchemaProblem.customCollation(_, _, let collation): .collation(collation)
      case SchemaProblem.virtualTable: .virtualTable
      case SchemaProblem.searchContent(_, let content): .searchContent(content)
      case SchemaProblem.reservedName: .reservedName
      default: .other("\(error)")
      }
  }

  private static func refusal(_ message: String) -> Self {
    let (report, collation) = ("SQLite reports \"\(message)\"", "no such collation sequence: ")
    func begins(_ starts: String...) -> Bool { starts.contains { message.hasPrefix($0) } }
    if begins(collation) { return .collation(String(message.dropFirst(collation.count))) }
    if begins("no such function: ", "no such module: ") { return .unknown(report) }
    return begins("no such table: ", "no such column: ") ? .missing(report) : .other(report)
  }

  var reason: String {
    switch self {
    case .noKey:
      "there is no key, neither a primary key nor a UNIQUE constraint over NOT NULL columns, and rows cannot be numbered"
    case .reservedName: "names that start with \(ReservedTable.prefix) are reserved"
    case .collation(let name): "clients lack the collation \(name), by which it sorts"
    case .virtualTable:
      "seeds have no other virtual tables than FTS5 tables over the content of a published table"
    case .searchContent(let content): "the content, \"\(content)\", is not a published table"
    case .unknown(let words), .missing(let words), .other(let words): words
    }
  }

  package static let indexRemedy = "queries go without it, only slower, and schema.sql may have another one"

  func remedy(_ kind: SetupNote.Kind) -> String {
    switch (kind, self) {
    case (.table, .noKey):
      "give it a primary key, or add it to schema.sql with columns that identify its rows as the PRIMARY KEY"
    case (.table, .reservedName):
      "add a table of another name to schema.sql, and 'SELECT … FROM' this one in a file TABLE.sql beside it"
    case (.table, .collation):
      "add it to schema.sql without the collation, and beside it a file TABLE.sql that SELECTs such columns COLLATE BINARY;"
        + " of a table WITHOUT ROWID with it in the key, only a copy without it can be read"
    case (.index, _): Self.indexRemedy
    case (.view, .unknown), (.view, .collation), (.virtualTable, .unknown):
      "clients get its rows if the origin keeps them in an ordinary table"
    case (.view, .missing):
      "publish what it reads; or add a table of the view's name, with a key, to schema.sql: its rows are the view's"
        + " rows. If the view fails in the origin too, drop or repair it there"
    case (.view, _): "add a table of its name, with a key, to schema.sql: its rows are the view's rows"
    case (.virtualTable, .searchContent): "publish that table too"
    case (.virtualTable, _):
      "for its rows, add a table of another name with a key to schema.sql, and 'SELECT … FROM' it in a file TABLE.sql"
        + " beside it; to search in its texts, an FTS5 table over that one's content"
    default: "add it to schema.sql in a form that SQLite takes"
    }
  }
}
