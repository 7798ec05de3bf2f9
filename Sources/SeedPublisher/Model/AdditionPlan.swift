import SeedDatabase
import SeedFormat

extension SeriesPlan {
  /// Returns the SQL that extends a published minor's schema to the newest minor, after testing it in memory. A delta
  /// can carry this SQL, so clients need no snapshot.
  func additions(from minor: ModelVersion) throws -> SchemaAdditions {
    guard let older = models.first(where: { $0.version == minor }), let before = hashes[minor] else {
      throw NotAnAddition("model \(minor) is not known")
    }
    let (copy, target) = (try older.database(), try newest.database())
    let additions = SchemaAdditions(
      before: before,
      statements: try Self.columns(SchemaReader(copy).schema(), schema) + Self.definitions(copy, target))
    do {
      try additions.define(on: copy)
      guard try SchemaReader(copy).schema().hash == schema.hash else {
        throw NotAnAddition(
          "the models differ in more than new columns, tables, indexes, views and search tables")
      }
      for search in schema.searchTables where try copy.settings(search) != target.settings(search) {
        throw NotAnAddition("the search table \"\(search.name)\" has different settings")
      }
    } catch let error as ForeignDefinition { throw NotAnAddition(error.reason) }
    return additions
  }

  private static func columns(
    _ older: DatabaseSchema, _ newer: DatabaseSchema
  ) throws(NotAnAddition) -> [String] {
    var statements: [String] = []
    for table in newer.tables {
      guard let old = older.table(table.name) else { continue }
      guard table.columnNames.starts(with: old.columnNames) else {
        throw NotAnAddition("the new columns of table \"\(table.name)\" are not at its end")
      }
      for column in table.columns.dropFirst(old.columns.count) {
        let reference = table.reference(of: column)
        // Clients would not check such a default, because they check references only in rows that the delta touches.
        guard reference.isEmpty || column.defaultSQL == nil else {
          throw NotAnAddition("the new column \"\(table.name).\(column.name)\" is a reference with a default")
        }
        statements.append("ALTER TABLE \(quoted(table.name)) ADD COLUMN \(column.definition)\(reference)")
      }
    }
    return statements
  }

  /// Returns the SQL of each object that only the newer schema has, in the order of creation.
  private static func definitions(_ older: Connection, _ newer: Connection) throws -> [String] {
    let parts = try SchemaReader(newer).listedTables().filter { $0.kind == "shadow" }.map(\.name)
    let known = Set(try older.rows("SELECT name FROM sqlite_schema").map(\.[0].text)).union(parts)
    return try newer.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
      .filter { !known.contains($0[0].text) }.map(\.[1].text)
  }
}

/// The reason why no delta can extend the schema to a new minor. Each client then needs a snapshot.
struct NotAnAddition: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension ModelDefinition {
  func database() throws -> Connection { try Self.database(schemaSQL) }

  static func database(_ schemaSQL: String) throws -> Connection {
    let connection = try Connection("model", .memory)
    try connection.run(script: schemaSQL)
    return connection
  }
}

extension Connection {
  fileprivate func settings(_ search: SearchTable) throws -> [[SeedValue]] {
    try rows("SELECT * FROM \(quoted(search.name + "_config")) ORDER BY k")
  }
}

/// Returns a column's type in SQL, quoted if SQLite would misread it without quotes. For example, a column declared as
/// `[name] [nvarchar](50)` has the type `nvarchar](50`.
func typeSQL(_ type: String) -> String {
  let probe = try? Connection("type", .memory)
  // Runs only the first statement, even if the type contains a semicolon and more SQL.
  _ = try? probe?.prepare("CREATE TABLE t(c \(type))").step()
  let isReadBack = (try? probe?.rows("SELECT type FROM pragma_table_xinfo('t')")) == [[.text(type)]]
  return isReadBack ? type : quoted(type)
}

extension ColumnSchema {
  fileprivate var definition: String {
    let parts = [
      quoted(name), typeSQL(declaredType), isNotNull ? "NOT NULL" : nil,
      defaultSQL.map { $0 == defaultExpression ? "DEFAULT (\($0))" : "DEFAULT \($0)" },
      collation == .binary ? nil : "COLLATE \(collation.rawValue)",
    ]
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension TableSchema {
  fileprivate func reference(of column: ColumnSchema) -> String {
    guard let key = foreignKeys.first(where: { $0.columns == [column.name] }) else { return "" }
    let columns =
      key.namedParentColumns.isEmpty ? "" : "(\(key.namedParentColumns.map(quoted).joined(separator: ", ")))"
    return " REFERENCES \(quoted(key.parent))\(columns) ON UPDATE \(key.onUpdate) ON DELETE \(key.onDelete)"
  }
}
