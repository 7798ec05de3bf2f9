import CSQLite
package import SeedFormat
import SeedTrust

/// Reads a schema back from SQLite instead of parsing SQL.
package struct SchemaReader {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  package static func schema(of sql: String) throws -> DatabaseSchema {
    let connection = try Connection("schema", .memory)
    try connection.run(script: sql)
    return try SchemaReader(connection).schema()
  }

  /// The whole schema; throws if a part of it cannot be published.
  package func schema() throws -> DatabaseSchema {
    try refuseTriggers()
    try refuseForgedTables()
    let listed = try listedTables()
    let tables = try listed.filter { $0.kind == "table" }.map(table)
    guard !tables.isEmpty else { throw SchemaProblem.noTables }
    try checkNames(tables)
    try checkParents(tables)
    let search = try listed.filter { $0.kind == "virtual" }.map { try searchTable($0.name, tables) }
    return DatabaseSchema(
      tables: tables, searchTables: search, views: listed.filter { $0.kind == "view" }.map(\.name),
      indexes: try explicitIndexes().map(\.name), hash: try digest(tables, search, listed))
  }

  package struct Listed: Hashable, Sendable {
    package let name: String
    /// `table`, `view`, `virtual` or `shadow`.
    package let kind: String
    package let isWithoutRowid: Bool
    package let isStrict: Bool
  }

  /// Every table of the main database except those of SQLite and Seedbank, sorted by name.
  package func listedTables() throws -> [Listed] {
    try connection.rows(
      """
      SELECT name, type, wr, strict FROM pragma_table_list
      WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """
    ).filter { !ReservedTable.all.contains($0[0].text) }.map { row in
      Listed(
        name: row[0].text, kind: row[1].text, isWithoutRowid: row[2] == .integer(1),
        isStrict: row[3] == .integer(1))
    }
  }

  package func table(_ name: String) throws -> TableSchema {
    guard let listed = try listedTables().first(where: { $0.name == name }) else {
      throw SchemaProblem.notSQL("there is no table \"\(name)\"")
    }
    return try table(listed)
  }

  private func table(_ listed: Listed) throws -> TableSchema {
    let name = listed.name
    if name.foldedName.hasPrefix(ReservedTable.prefix) { throw SchemaProblem.reservedName(name) }
    let (columns, generated) = try columns(listed)
    let key = try key(of: name, columns)
    return TableSchema(
      name: name, columns: columns, generated: generated,
      key: key.columns, isWithoutRowid: listed.isWithoutRowid, isStrict: listed.isStrict,
      foreignKeys: try foreignKeys(of: name), hasOtherUnique: key.hasOthers)
  }

  private func columns(_ table: Listed) throws -> (stored: [ColumnSchema], generated: [String]) {
    let rows = try connection.rows(
      #"SELECT name, type, "notnull", dflt_value, hidden FROM pragma_table_xinfo(?) ORDER BY cid"#,
      .text(table.name))
    let stored = try rows.filter { $0[4] == .integer(0) }.map { try column($0, table) }
    return (stored, rows.filter { $0[4] != .integer(0) }.map(\.[0].text))
  }

  private func column(_ row: [SeedValue], _ table: Listed) throws -> ColumnSchema {
    let name = row[0].text
    let collation = try collationName(table.name, name)
    guard let known = Collation(rawValue: collation.uppercased()) else {
      throw SchemaProblem.customCollation(table: table.name, column: name, collation: collation)
    }
    return ColumnSchema(
      name: name, declaredType: row[1].text,
      affinity: Affinity(declaredType: row[1].text, isStrict: table.isStrict),
      isNotNull: row[2] == .integer(1), defaultSQL: row[3].textIfAny, collation: known)
  }

  package func collationName(_ table: String, _ column: String) throws -> String {
    var collation: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      connection.handle, "main", table, column, nil, &collation, nil, nil, nil)
    guard code == SQLITE_OK, let collation else { throw connection.error(code, "column \(table).\(column)") }
    return String(cString: collation)
  }

  package func foreignKeys(of table: String) throws -> [ForeignKeySchema] {
    let rows = try connection.rows(
      """
      SELECT id, "table", "from", "to", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
      """, .text(table))
    let parts = Dictionary(grouping: rows) { row -> Int64 in
      if case .integer(let number) = row[0] { number } else { 0 }
    }
    return try parts.sorted { $0.key < $1.key }.map { try foreignKey($0.key, of: table, $0.value) }
  }

  private func foreignKey(
    _ number: Int64, of table: String, _ parts: [[SeedValue]]
  ) throws -> ForeignKeySchema {
    let (first, named) = (parts[0], parts.compactMap(\.[3].textIfAny))
    let key = try connection.rows(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", first[1]
    ).map(\.[0].text)
    let referenced = parts.indices.map { $0 < key.count ? key[$0] : RowidName.usual }
    return ForeignKeySchema(
      number: number, table: table, columns: parts.map(\.[2].text), parent: first[1].text,
      parentColumns: named.isEmpty ? referenced : named, namedParentColumns: named, onUpdate: first[4].text,
      onDelete: first[5].text)
  }

  package func foreignKeys(to parent: String) throws -> [ForeignKeySchema] {
    let children = try connection.rows(
      """
      SELECT DISTINCT child.name FROM sqlite_schema AS child JOIN pragma_foreign_key_list(child.name) AS reference
      WHERE child.type = 'table' AND lower(reference."table") = lower(?) ORDER BY child.name
      """, .text(parent))
    return try children.flatMap { try foreignKeys(of: $0[0].text) }
      .filter { $0.parent.foldedName == parent.foldedName }
  }

  private func checkParents(_ tables: [TableSchema]) throws {
    let names = Set(tables.map(\.name.foldedName))
    for table in tables {
      for reference in table.foreignKeys where !names.contains(reference.parent.foldedName) {
        throw SchemaProblem.unknownParent(table: table.name, parent: reference.parent)
      }
    }
  }

  /// Rejects names that differ only in their Unicode form. SQLite distinguishes them, but Swift strings do not.
  private func checkNames(_ tables: [TableSchema]) throws(SchemaProblem) {
    for names in [tables.map(\.name)] + tables.map({ $0.columnNames + $0.generated }) {
      let twice = Dictionary(grouping: names) { $0 }.values.first { $0.count > 1 }
      if let twice { throw .sameName(twice[0]) }
    }
  }

  private func refuseTriggers() throws {
    let rows = try connection.rows(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    if let row = rows.first { throw SchemaProblem.trigger(name: row[0].text, table: row[1].text) }
  }

  /// Suffixes of the shadow tables that FTS5 creates for each search table.
  private static let searchParts = ["_config", "_content", "_data", "_docsize", "_idx"]

  /// Rejects forged versions of tables that SQLite itself makes, including those for virtual tables. SQLite reads
  /// these tables even to list all tables, and computing the columns of a forged one could take forever.
  private func refuseForgedTables() throws {
    let tables = try connection.rows(
      "SELECT name, sql, rootpage FROM sqlite_schema WHERE type IN ('table', 'view')"
    ).map { (name: $0[0].text, sql: SQLTokens($0[1].text), isStored: $0[2] != .integer(0)) }
    let virtual = tables.filter { $0.sql.tokens.dropFirst().first == "VIRTUAL" }
    if let other = virtual.first(where: { $0.sql.externalContent == nil }) {
      throw SchemaProblem.virtualTable(name: other.name)
    }
    let parts = Set(virtual.flatMap { table in Self.searchParts.map { (table.name + $0).foldedName } })
    for table in tables {
      let name = table.name.foldedName
      guard name.hasPrefix("sqlite_") || parts.contains(name) else { continue }
      guard table.isStored, table.sql.expressions.isEmpty else {
        throw NotASeed("\(table.name) is not defined as SQLite defines it")
      }
    }
  }

  func sql(_ name: String) throws -> String {
    try connection.value("SELECT sql FROM sqlite_schema WHERE name = ?", .text(name))?.text ?? ""
  }

  private func searchTable(_ name: String, _ tables: [TableSchema]) throws -> SearchTable {
    guard let content = SQLTokens(try sql(name)).externalContent else {
      throw SchemaProblem.virtualTable(name: name)
    }
    guard let table = tables.first(where: { $0.name.foldedName == content.foldedName }) else {
      throw SchemaProblem.searchContent(name: name, content: content)
    }
    return SearchTable(name: name, content: table.name)
  }
}

// MARK: Keys

extension SchemaReader {
  private func key(
    of table: String, _ columns: [ColumnSchema]
  ) throws -> (columns: [Int], hasOthers: Bool) {
    let indexes = try indexes(of: table).filter(\.isUnique)
    if let primary = indexes.first(where: { $0.origin == "pk" }) {
      return (try key(primary, columns, table), indexes.count > 1)
    }
    if let alias = try rowidAlias(of: table), let rowid = columns.firstIndex(where: { $0.name == alias }) {
      return ([rowid], !indexes.isEmpty)
    }
    // Prefers a constraint ("u") to CREATE INDEX ("c"), which can be dropped alone.
    let usable = indexes.filter { index in
      !index.isPartial
        && index.key.allSatisfy { part in
          columns.contains { $0.name == part.column && $0.isNotNull && $0.collation == part.collation }
        }
    }
    guard let unique = usable.first(where: { $0.origin == "u" }) ?? usable.first else {
      throw SchemaProblem.noKey(table: table)
    }
    return (try key(unique, columns, table), indexes.count > 1)
  }

  private func key(_ index: IndexSchema, _ columns: [ColumnSchema], _ table: String) throws -> [Int] {
    let positions = index.key.compactMap { part in columns.firstIndex { $0.name == part.column } }
    // Generated columns are never sent, so they cannot be a key.
    guard positions.count == index.key.count else { throw SchemaProblem.noKey(table: table) }
    for (position, part) in zip(positions, index.key) {
      guard let collation = part.collation else {
        throw SchemaProblem.customCollation(
          table: table, column: columns[position].name, collation: part.collationName)
      }
      // Clients find rows by the column's own collation.
      guard collation == columns[position].collation else {
        throw SchemaProblem.keyCollation(table: table, column: columns[position].name)
      }
    }
    return positions
  }
}

extension SeedValue {
  package var text: String { textIfAny ?? "" }

  package var textIfAny: String? { if case .text(let text) = self { text } else { nil } }
}

// The digest of a schema: equal for any SQL that builds the same structure.
extension SchemaReader {
  func digest(_ tables: [TableSchema], _ search: [SearchTable], _ listed: [Listed]) throws -> SHA256Digest {
    let structure: JSONValue = .object([
      JSONMember("tables", .array(try tables.map(describe))),
      JSONMember("indexes", .array(try indexes(tables))),
      JSONMember("views", .array(try listed.filter { $0.kind == "view" }.map { try normalized($0.name) })),
      JSONMember("search", .array(try search.map { try normalized($0.name) })),
    ])
    return SHA256Digest.of(structure.bytes)
  }

  private func describe(_ table: TableSchema) throws -> JSONValue {
    [
      "name": .string(table.name), "columns": .array(table.columns.map(describe)),
      "generated": JSONValue(strings: table.generated), "key": JSONValue(strings: table.keyNames),
      "keyCollations": JSONValue(strings: table.keyCollations.map(\.rawValue)),
      "withoutRowid": .bool(table.isWithoutRowid), "strict": .bool(table.isStrict),
      "references": .array(table.foreignKeys.map(describe)),
      "expressions": JSONValue(strings: SQLTokens(try sql(table.name)).expressions),
    ]
  }

  private func describe(_ column: ColumnSchema) -> JSONValue {
    [
      "name": .string(column.name),
      "type": .string(column.declaredType.uppercased()),
      "notNull": .bool(column.isNotNull),
      "default": JSONValue(column.defaultSQL),
      "collation": .string(column.collation.rawValue),
    ]
  }

  private func describe(_ reference: ForeignKeySchema) -> JSONValue {
    [
      "columns": JSONValue(strings: reference.columns), "parent": .string(reference.parent),
      "parentColumns": JSONValue(strings: reference.namedParentColumns),
      "onUpdate": .string(reference.onUpdate), "onDelete": .string(reference.onDelete),
    ]
  }

  /// Explicit indexes as normalized text; unique indexes of constraints as column lists.
  private func indexes(_ tables: [TableSchema]) throws -> [JSONValue] {
    let implied = try tables.flatMap { table in
      try self.indexes(of: table.name).filter { $0.origin == "u" }
        .map { $0.key.map { "\($0.column ?? "") \($0.collationName)" }.joined(separator: ",") }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        .map { JSONValue.string("\(table.name): \($0)") }
    }
    return try explicitIndexes().map { .string(SQLTokens($0.sql).normalized) } + implied
  }

  /// Includes indexes that a snapshot omits and the client builds.
  private func explicitIndexes() throws -> [(name: String, sql: String)] {
    let built = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    let isComplete = try !connection.has(ReservedTable.index, madeBy: ReservedTable.indexSQL)
    let omitted = isComplete ? [] : try connection.rows("SELECT name, sql FROM \(ReservedTable.index)")
    return (built + omitted).map { (name: $0[0].text, sql: $0[1].text) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func normalized(_ name: String) throws -> JSONValue { .string(SQLTokens(try sql(name)).normalized) }
}
