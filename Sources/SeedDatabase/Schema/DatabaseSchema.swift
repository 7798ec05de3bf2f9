package import SeedFormat

/// The structure of a seed: what a client's model version promises.
package struct DatabaseSchema: Hashable, Sendable {
  /// The tables with data, sorted by name.
  package let tables: [TableSchema]
  /// External-content FTS5 tables, sorted by name.
  package let searchTables: [SearchTable]
  /// Names of the views, sorted.
  package let views: [String]
  /// Names of the explicit indexes, sorted.
  package let indexes: [String]
  /// Covers structure, not SQL text: comments, white space and the case of keywords do not count.
  package let hash: SHA256Digest

  /// The table of that name; SQLite compares names without regard to ASCII case, and so does this.
  package func table(_ name: String) -> TableSchema? {
    tables.first { $0.name == name } ?? tables.first { $0.name.lowercased() == name.lowercased() }
  }
}

/// An FTS5 table that indexes the rows of another table.
package struct SearchTable: Hashable, Sendable {
  package let name: String
  package let content: String

  package init(name: String, content: String) {
    self.name = name
    self.content = content
  }
}

/// Why a table or a schema cannot be published.
package enum SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case noKey(table: String)
  case noStoredColumns(table: String)
  case customCollation(table: String, column: String, collation: String)
  case trigger(name: String, table: String)
  case virtualTable(name: String)
  case searchContent(name: String, content: String)
  case reservedName(String)
  case unknownParent(table: String, parent: String)
  case notSQL(String)
  case noTables

  package var description: String {
    switch self {
    case .noKey(let table):
      "table \"\(table)\" has no key: give it a primary key, or a UNIQUE constraint over NOT NULL columns"
    case .noStoredColumns(let table): "table \"\(table)\" has no stored columns"
    case .customCollation(let table, let column, let collation):
      "table \"\(table)\", column \"\(column)\": the collation \(collation) is not one that every client has "
        + "(BINARY, NOCASE, RTRIM)"
    case .trigger(let name, let table):
      "trigger \"\(name)\" on \"\(table)\": a seed cannot have triggers: they would change rows behind the digest"
    case .virtualTable(let name):
      "virtual table \"\(name)\": only FTS5 tables with the content of a published table can be in a seed"
    case .searchContent(let name, let content):
      "FTS5 table \"\(name)\" takes its content from \"\(content)\", which is not a table of this schema"
    case .reservedName(let name): "\"\(name)\": names that start with \(ReservedTable.prefix) are reserved"
    case .unknownParent(let table, let parent):
      "table \"\(table)\" references \"\(parent)\", which is not a table of this schema"
    case .notSQL(let message): message
    case .noTables: "no table that could be published"
    }
  }
}
