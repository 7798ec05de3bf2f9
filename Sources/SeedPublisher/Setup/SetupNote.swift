import SeedDatabase
import SeedFormat

/// A part of the origin that is missing from the clients' file, or differs in it, with the reason.
package struct SetupNote: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case table, column, index, view, trigger, file
    case virtualTable = "virtual table"
    /// A published table or column differs from the origin's.
    case numbering, key, type, collation, rules
    /// A table has more rows than expected.
    case rows

    fileprivate var verb: String {
      switch self {
      case .numbering: "Numbered the rows of table"
      case .key: "Chose a different key for table"
      case .collation: "Removed a collation from table"
      case .rules: "Skipped the CHECKs and references of table"
      case .rows: "Check the rows of table"
      case .type: "Chose the type \(OriginTable.anyType) for column"
      default: "Skipped \(rawValue)"
      }
    }

    var isSkipped: Bool { ![.numbering, .key, .type, .collation, .rules, .rows].contains(self) }
  }

  package let kind: Kind
  package let name: String
  package var part: String?
  package let reason: String
  /// Empty if the reason includes the remedy.
  package var remedy = ""

  package init(kind: Kind, name: String, part: String? = nil, reason: String, remedy: String = "") {
    (self.kind, self.name, self.part, self.reason, self.remedy) = (kind, name, part, reason, remedy)
  }

  package static func rules(of table: String) -> SetupNote {
    SetupNote(
      kind: .rules, name: table, reason: "devices only read",
      remedy: "to have each step check them, add them to schema.sql before the first run")
  }

  private var subject: String {
    "\"\(name)\"" + (part.map { ".\"\($0)\"" } ?? "")
  }

  var text: String { "\(kind.verb) \(subject): \(explanation)" }

  private var explanation: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }

  /// Returns a line for each note. Notes that differ only in the name share one line.
  package static func lines(_ notes: [SetupNote]) -> [String] {
    var groups: [[SetupNote]] = []
    for note in notes {
      let group = groups.firstIndex { $0[0].kind == note.kind && $0[0].explanation == note.explanation }
      if let group { groups[group].append(note) } else { groups.append([note]) }
    }
    return groups.map(line)
  }

  private static func line(_ group: [SetupNote]) -> String {
    guard group.count > 1 else { return group[0].text }
    let list = group.map(\.subject).joined(separator: ", ")
    return "\(group[0].kind.verb)\(group[0].kind == .index ? "es" : "s") \(list): \(group[0].explanation)"
  }

  init(_ kind: Kind, _ name: String, _ cause: SkipCause) {
    self.init(kind: kind, name: name, reason: cause.reason, remedy: cause.remedy(kind))
  }
}

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
      "seeds have no virtual tables except FTS5 tables over the content of a published table"
    case .searchContent(let content): "the content, \"\(content)\", is not a published table"
    case .unknown(let words), .missing(let words), .other(let words): words
    }
  }

  package static let indexRemedy = "queries are slower without it; you can add another index to schema.sql"

  func remedy(_ kind: SetupNote.Kind) -> String {
    switch (kind, self) {
    case (.table, .noKey):
      "give it a primary key, or add it to schema.sql, with a PRIMARY KEY of columns that identify its rows"
    case (.table, .reservedName):
      "add to schema.sql a table that has another name, and beside it a file TABLE.sql with 'SELECT … FROM' this one"
    case (.table, .collation):
      "add it to schema.sql without the collation, and beside it a file TABLE.sql that SELECTs such columns COLLATE BINARY;"
        + " if the collation is in the key of a table WITHOUT ROWID, only a copy without the collation can be read"
    case (.index, _): Self.indexRemedy
    case (.view, .unknown), (.view, .collation), (.virtualTable, .unknown):
      "clients get its rows if the origin keeps them in an ordinary table"
    case (.view, .missing):
      "publish the tables that it reads, or add to schema.sql a table with the view's name and a key: its rows are the view's"
        + " rows. If the view fails in the origin too, drop or repair it there"
    case (.view, _): "add to schema.sql a table with the view's name and a key: its rows are the view's rows"
    case (.virtualTable, .searchContent): "publish that table too"
    case (.virtualTable, _):
      "to publish its rows, add to schema.sql a table that has another name and a key, and beside it a file TABLE.sql"
        + " with 'SELECT … FROM' this table; to search its text, also add an FTS5 table over the new table"
    default: "add it to schema.sql in a form that SQLite accepts"
    }
  }
}
