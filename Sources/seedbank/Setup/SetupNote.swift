import SeedDatabase
import SeedFormat

/// Something of the origin that the clients' file has not, or has in another way, and why.
struct SetupNote: Hashable, Sendable {
  enum Kind: String, Sendable {
    case table, column, index, view, trigger
    case virtualTable = "virtual table"
    case shadowTable = "shadow table"
    case reference
    /// A CHECK, a default or a generated column.
    case clause
    /// A table whose rows get their numbers as a key.
    case numbering
    /// A table with another key than its primary one.
    case key

    fileprivate var verb: String {
      switch self {
      case .numbering: "Numbered the rows of table"
      case .key: "Chose another key for table"
      default: "Skipped \(rawValue)"
      }
    }

    /// Whether it tells of something that is missing.
    var isLeftOut: Bool { self != .numbering && self != .key }
  }

  let kind: Kind
  let name: String
  /// The table that a reference leads to, the clause, or the column.
  var part: String?
  let reason: String

  private var subject: String {
    switch (kind, part) {
    case (.reference, let parent?): "of \"\(name)\" to \"\(parent)\""
    case (.column, let column?): "\"\(name)\".\"\(column)\""
    case (.clause, let clause?): "\(clause) of table \"\(name)\""
    default: "\"\(name)\""
    }
  }

  var text: String { "\(kind.verb) \(subject): \(reason)" }

  /// Names in a line that stands for several.
  private static let namedInLine = 3

  /// A line for each note; one for all that differ in nothing but the name.
  static func lines(_ notes: [SetupNote]) -> [String] {
    var groups: [[SetupNote]] = []
    for note in notes {
      let group = groups.firstIndex { $0[0].kind == note.kind && $0[0].reason == note.reason }
      if let group { groups[group].append(note) } else { groups.append([note]) }
    }
    return groups.map(line)
  }

  private static func line(_ group: [SetupNote]) -> String {
    guard group.count > 1 else { return group[0].text }
    let named = group.prefix(namedInLine).map(\.subject)
    let others = group.count > named.count ? ["and \(group.count - named.count) more"] : []
    let list = (named + others).joined(separator: ", ")
    return "\(group[0].kind.verb)\(group[0].kind == .index ? "es" : "s") \(list): \(group[0].reason)"
  }
}

/// Why SQLite or the schema's rules refused something, without naming it again.
func skipReason(_ error: any Error) -> String {
  switch error {
  case let error as DatabaseError: error.message
  case SchemaProblem.noKey:
    "it has no key, neither a primary key nor a UNIQUE constraint over NOT NULL columns, and its rows cannot be"
      + " numbered: give it a primary key"
  case SchemaProblem.noStoredColumns: "all its columns are generated"
  case SchemaProblem.customCollation(_, let column, let collation):
    "its column \"\(column)\" has the collation \(collation), which clients lack"
  case SchemaProblem.virtualTable:
    "the only virtual tables kept are FTS5 tables over the content of a published table"
  case SchemaProblem.searchContent(_, let content): "its content, \"\(content)\", is not a published table"
  case SchemaProblem.reservedName: "names that start with \(ReservedTable.prefix) are reserved"
  default: "\(error)"
  }
}
