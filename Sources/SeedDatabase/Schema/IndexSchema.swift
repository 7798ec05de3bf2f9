import SeedFormat

struct IndexSchema {
  let name: String
  let isUnique: Bool
  /// `pk`, `u` for a UNIQUE constraint, or `c` for CREATE INDEX; only the last can be dropped.
  let origin: String
  let isPartial: Bool
  /// The parts of the key, followed by those that locate the row.
  let parts: [Part]

  struct Part {
    /// Nil for an expression and for the rowid.
    let column: String?
    let isRowid: Bool
    let collationName: String
    let isFalling: Bool
    let isKey: Bool

    var collation: Collation? { Collation(rawValue: collationName.uppercased()) }
  }

  var key: [Part] { parts.filter(\.isKey) }
}

extension SchemaReader {
  func indexes(of table: String) throws -> [IndexSchema] {
    try connection.rows(
      #"SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY name"#, .text(table)
    ).map { row in
      let parts = try connection.rows(
        #"SELECT name, cid, coll, "desc", key FROM pragma_index_xinfo(?) ORDER BY seqno"#, row[0])
      return IndexSchema(
        name: row[0].text, isUnique: row[1] == .integer(1), origin: row[2].text,
        isPartial: row[3] == .integer(1),
        parts: parts.map { part in
          IndexSchema.Part(
            column: part[0].textIfAny, isRowid: part[1] == .integer(-1), collationName: part[2].text,
            isFalling: part[3] == .integer(1), isKey: part[4] == .integer(1))
        })
    }
  }

  /// The WHERE condition of a partial index as written; nil for other indexes.
  func condition(of index: String) throws -> String? {
    let bytes = Array(try sql(index).utf8)
    var depth = 0
    for token in SQLScanner.tokens(of: bytes) {
      switch token.keyword {
      case "(": depth += 1
      case ")": depth -= 1
      case "WHERE" where depth == 0: return String(decoding: bytes[token.range.upperBound...], as: UTF8.self)
      default: break
      }
    }
    return nil
  }

  /// The table's INTEGER PRIMARY KEY, if any, which is an alias of the rowid and has no separate index.
  package func rowidAlias(of table: String) throws -> String? {
    let key = try connection.rows("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0", .text(table))
    guard key.count == 1, try !indexes(of: table).contains(where: { $0.origin == "pk" }) else { return nil }
    return key[0][0].text
  }
}

// MARK: Columns by which an index finds rows

extension SchemaReader {
  package typealias IndexedColumn = (name: String, collation: Collation)

  /// Whether an index begins with these columns in any order.
  package func hasIndex(_ columns: [IndexedColumn], of table: TableSchema) -> Bool {
    isFound(columns, table) { !$0.isPartial && Self.same($0.key.prefix(columns.count), columns) }
  }

  /// Whether a unique index covers exactly these columns.
  package func hasUniqueIndex(_ columns: [IndexedColumn], of table: TableSchema) -> Bool {
    isFound(columns, table) { $0.isUnique && !$0.isPartial && Self.same($0.key[...], columns) }
  }

  /// Ignores unreadable indexes; the caller then reads all rows.
  private func isFound(
    _ columns: [IndexedColumn], _ table: TableSchema, by isIndex: (IndexSchema) -> Bool
  ) -> Bool {
    if columns.count == 1, (try? rowidAlias(of: table.name)) == columns[0].name { return true }
    return (try? indexes(of: table.name))?.contains(where: isIndex) ?? false
  }

  private static func same(_ parts: ArraySlice<IndexSchema.Part>, _ columns: [IndexedColumn]) -> Bool {
    parts.count == columns.count
      && columns.allSatisfy { column in
        parts.contains { $0.column == column.name && $0.collation == column.collation }
      }
  }
}
