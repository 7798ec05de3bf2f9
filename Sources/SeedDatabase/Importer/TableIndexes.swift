import SeedFormat

/// By which columns rows of a table can be found without reading all of them.
struct TableIndexes {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  typealias Part = (column: String, collation: Collation)

  /// Whether an index begins with these columns, in whatever order.
  func has(_ parts: [Part], of table: TableSchema) -> Bool {
    hasRowid(parts, of: table)
      || indexes(table, where: "partial = 0").contains { Self.same(Array($0.prefix(parts.count)), parts) }
  }

  /// Whether a unique index covers these columns and no others.
  func hasUnique(_ parts: [Part], of table: TableSchema) -> Bool {
    hasRowid(parts, of: table)
      || indexes(table, where: #""unique" AND partial = 0"#).contains { Self.same($0, parts) }
  }

  /// Whether the columns are an INTEGER PRIMARY KEY.
  private func hasRowid(_ parts: [Part], of table: TableSchema) -> Bool {
    guard parts.count == 1, !table.isWithoutRowid else { return false }
    let keys = rows("SELECT name, upper(type) FROM pragma_table_xinfo(?) WHERE pk > 0", table.name)
    return keys == [[.text(parts[0].column), .text("INTEGER")]]
      && !indexes(table, where: "origin = 'pk'").contains { $0.count == 1 }
  }

  private func indexes(_ table: TableSchema, where condition: String) -> [[[SeedValue]]] {
    rows("SELECT name FROM pragma_index_list(?) WHERE \(condition)", table.name).map { index in
      rows("SELECT name, upper(coll) FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", index[0].text)
    }
  }

  /// What cannot be read is no index: then all rows are looked at.
  private func rows(_ sql: String, _ name: String) -> [[SeedValue]] {
    (try? connection.rows(sql, .text(name))) ?? []
  }

  private static func same(_ found: [[SeedValue]], _ parts: [Part]) -> Bool {
    found.count == parts.count
      && parts.allSatisfy { found.contains([.text($0.column), .text($0.collation.rawValue)]) }
  }
}
