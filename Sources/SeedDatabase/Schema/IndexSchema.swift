import SeedFormat

struct IndexSchema {
  let name: String
  let isUnique: Bool
  /// `pk`, `u` for a constraint, or `c` for one that was made later and can be dropped alone.
  let origin: String
  let isPartial: Bool
  /// The entries' values: the key's, and behind them those by which the row is found.
  let parts: [Part]

  struct Part {
    /// `nil` for an expression, and for the rowid.
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

  /// What rows of a partial index have in common, as it was written; `nil` for any other index.
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

  /// The column that is the rowid: the INTEGER PRIMARY KEY of a table with rowids, which has no index of its own.
  func rowidAlias(of table: String) throws -> String? {
    let key = try connection.rows("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0", .text(table))
    guard key.count == 1, try !indexes(of: table).contains(where: { $0.origin == "pk" }) else { return nil }
    return key[0][0].text
  }
}

// MARK: By which columns rows of a table can be found without reading all of them

extension SchemaReader {
  package typealias IndexedColumn = (name: String, collation: Collation)

  /// Whether an index begins with these columns, in whatever order.
  package func hasIndex(_ columns: [IndexedColumn], of table: TableSchema) -> Bool {
    isFound(columns, table) { !$0.isPartial && Self.same($0.key.prefix(columns.count), columns) }
  }

  /// Whether a unique index covers these columns and no others.
  package func hasUniqueIndex(_ columns: [IndexedColumn], of table: TableSchema) -> Bool {
    isFound(columns, table) { $0.isUnique && !$0.isPartial && Self.same($0.key[...], columns) }
  }

  /// What cannot be read is no index: then all rows are looked at.
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
