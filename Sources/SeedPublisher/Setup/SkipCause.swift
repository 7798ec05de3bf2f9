import SeedDatabase
import SeedFormat

/// Explains why SQLite or the schema's rules reject a part of the origin, with a remedy.
package enum SkipCause: Hashable, Sendable {
  case noKey
  case reservedName
  case collation(String)
  /// A function that SQLite has but does not trust in a schema.
  case unsafeFunction(String)
  case unknownFunction(String)
  case missingTable(String)
  /// A table or view that the origin lacks too.
  case absent(String)
  case missingColumn(String)
  case missingModule(String)
  case virtualTable
  case searchContent(String)
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

  private static let refusals: [(start: String, cause: @Sendable (String) -> Self)] = [
    ("no such collation sequence: ", Self.collation), ("unsafe use of ", Self.unsafeFunction),
    ("no such function: ", Self.unknownFunction), ("no such table: main.", Self.missingTable),
    ("no such table: ", Self.missingTable), ("no such column: ", Self.missingColumn),
    ("no such module: ", Self.missingModule),
  ]

  private static func refusal(_ message: String) -> Self {
    let known = refusals.first { message.hasPrefix($0.start) }
    guard let known else { return .other("SQLite reports \"\(message)\"") }
    let name = message.dropFirst(known.start.count)
    return known.cause(String(name.hasSuffix("()") ? name.dropLast(2) : name))
  }

  /// Distinguishes parts that the origin lacks too. Names are in lower case.
  func seen(among names: Set<String>) -> Self {
    if case .missingTable(let name) = self, !names.contains(name.lowercased()) { .absent(name) } else { self }
  }

  var reason: String {
    switch self {
    case .noKey:
      "there is no key, neither a primary key nor a UNIQUE constraint over NOT NULL columns, and rows cannot be numbered"
    case .reservedName: "names that start with \(ReservedTable.prefix) are reserved"
    case .collation(let name): "clients lack the collation \(name), by which it sorts"
    case .unsafeFunction(let name): "clients' SQLite may not allow \(name)() in a schema"
    case .unknownFunction(let name): "clients' SQLite may not have \(name)() in a schema"
    case .missingTable(let name): "it reads \"\(name)\", which the model does not have"
    case .absent(let name): "it reads \"\(name)\", which the origin does not have either"
    case .missingColumn(let name): "it reads the column \(name), which the model does not have"
    case .missingModule(let name): "clients lack SQLite's module \(name)"
    case .virtualTable:
      "seeds have no other virtual tables than FTS5 tables over the content of a published table"
    case .searchContent(let content): "the content, \"\(content)\", is not a published table"
    case .other(let words): words
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
    case (.view, .missingTable), (.view, .missingColumn):
      "publish that too; or add a table of the view's name, with a key, to schema.sql: its rows are the view's rows"
    case (.view, .absent): "it does not work in the origin: drop or repair it there"
    case (.view, .unknownFunction), (.view, .collation), (.view, .missingModule):
      "clients get its rows if the origin keeps them in an ordinary table"
    case (.view, _): "add a table of its name, with a key, to schema.sql: its rows are the view's rows"
    case (.virtualTable, .searchContent): "publish that table too"
    case (.virtualTable, .missingModule): "clients get its rows if the origin keeps them in an ordinary table"
    case (.virtualTable, _):
      "for its rows, add a table of another name with a key to schema.sql, and 'SELECT … FROM' it in a file TABLE.sql"
        + " beside it; to search in its texts, an FTS5 table over that one's content"
    default: "add it to schema.sql in a form that SQLite takes"
    }
  }
}
