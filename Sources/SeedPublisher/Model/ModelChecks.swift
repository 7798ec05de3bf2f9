import SeedDatabase
import SeedFormat

// Checks of a model before it is published.

extension ModelDefinition {
  private static let refused: Set<String> = [
    "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "ATTACH", "DETACH", "VACUUM", "PRAGMA", "BEGIN",
    "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "ANALYZE", "REINDEX", "SELECT", "VALUES", "EXPLAIN",
  ]

  /// The first statement that is not a definition, with its line. No statement is run. The search stops at a trigger,
  /// whose body contains such statements, because the schema reader rejects triggers anyway.
  var statementThatDefinesNothing: (line: Int, word: String)? {
    let bytes = Array(schemaSQL.utf8)
    for statement in SQLScanner.tokens(of: bytes).split(whereSeparator: { $0.keyword == ";" }) {
      if statement.contains(where: { $0.keyword == "TRIGGER" }) { return nil }
      guard let first = statement.first, Self.refused.contains(first.keyword) else { continue }
      if !Self.isSearchCommand(statement.map { $0.text(in: bytes) }) {
        return (bytes.line(of: first.range.lowerBound), first.keyword)
      }
    }
    return nil
  }

  /// `INSERT INTO search(search, …)` configures FTS5.
  private static func isSearchCommand(_ words: [String]) -> Bool {
    words.count > 4 && words[1].uppercased() == "INTO" && words[3] == "(" && words[2] == words[4]
  }
}

extension [UInt8] {
  func line(of offset: Int) -> Int { self[..<offset].count { $0 == UInt8(ascii: "\n") } + 1 }
}

extension DatabaseSchema {
  func breaks(clientsOf older: DatabaseSchema) -> [String] {
    older.tables.flatMap(breaks) + Self.missing("view", older.views, views)
      + Self.missing("index", older.indexes, indexes)
      + Self.missing("search table", older.searchTables.map(\.name), searchTables.map(\.name))
  }

  private func breaks(_ old: TableSchema) -> [String] {
    guard let new = tables.first(where: { $0.name == old.name }) else {
      return ["table \"\(old.name)\" is gone"]
    }
    let hasSameKey = old.keyNames == new.keyNames && old.keyCollations == new.keyCollations
    return (hasSameKey ? [] : ["table \"\(old.name)\" has a different key"])
      + old.columns.flatMap { Self.breaks($0, old, new) }
      + Self.missing("generated column", old.generated.map(old.named), new.generated.map(old.named))
      + new.columns.flatMap { Self.breaks(adding: $0, old) }
  }

  private static func breaks(_ column: ColumnSchema, _ old: TableSchema, _ new: TableSchema) -> [String] {
    let name = "column \"\(old.named(column.name))\""
    guard let now = new.columns.first(where: { $0.name == column.name }) else { return ["\(name) is gone"] }
    let isSame =
      now.declaredType.uppercased() == column.declaredType.uppercased()
      && now.isNotNull == column.isNotNull && now.collation == column.collation
    return isSame ? [] : ["\(name) has a different type, nullability or collation"]
  }

  private static func breaks(adding column: ColumnSchema, _ old: TableSchema) -> [String] {
    let isNew = !old.columns.contains { $0.name == column.name }
    guard isNew, column.isNotNull, column.defaultSQL == nil else { return [] }
    return ["the new column \"\(old.named(column.name))\" is NOT NULL without a default"]
  }

  fileprivate static func missing(_ kind: String, _ old: [String], _ new: [String]) -> [String] {
    old.filter { !new.contains($0) }.map { "\(kind) \"\($0)\" is gone" }
  }
}

extension Connection {
  /// The columns with their view's name; `nil` if the view cannot be read.
  fileprivate func columns(of view: String) -> [String]? {
    try? prepare("SELECT * FROM \(quoted(view))").columnNames.map { "\(view).\($0)" }
  }
}

extension TableSchema { fileprivate func named(_ column: String) -> String { "\(name).\(column)" } }

extension ModelDefinition {
  /// The columns that the older model's views and search tables lose. Skips those that this SQLite cannot read.
  func lostColumns(of older: ModelDefinition, _ schema: DatabaseSchema) -> [String] {
    guard let (old, new) = try? (older.database(), database()) else { return [] }
    return (schema.views + schema.searchTables.map(\.name)).flatMap { name -> [String] in
      guard let before = old.columns(of: name), let now = new.columns(of: name) else { return [] }
      return DatabaseSchema.missing("column", before, now)
    }
  }

  func remarks(_ schema: DatabaseSchema) -> [String] {
    let hidden = schema.tables.filter(\.isWithoutRowid).map { "\"\($0.name)\"" }
    guard !hidden.isEmpty else { return [] }
    return [
      "\(schemaFile): WITHOUT ROWID: \(hidden.joined(separator: ", ")): SQLite does not report changes of these"
        + " tables, so an app that observes the database (as GRDB does) misses the changes; a search table over"
        + " one of them needs content_rowid, an INTEGER column that is unique"
    ]
  }

  /// SQLite does not check a view when it is created, so a mistake would appear only when an app reads the view.
  func warnings(_ schema: DatabaseSchema) -> [String] {
    guard let made = try? database() else { return [] }
    return schema.views.compactMap { view -> String? in
      do throws(DatabaseError) {
        _ = try made.prepare("SELECT * FROM \(quoted(view))")
        return nil
      } catch {
        // A function unknown here may exist in an app's newer SQLite, but a missing column or table is always an error.
        guard error.message.hasPrefix("no such column") || error.message.hasPrefix("no such table") else {
          return nil
        }
        return "\(schemaFile): view \"\(view)\": \(error.message): no app can read it"
      }
    }
  }
}
