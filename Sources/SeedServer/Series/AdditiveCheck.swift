import SeedDatabase

/// Finds what a newer minor took away or changed that a client of the older one relies on.
struct AdditiveCheck {
  private let older: DatabaseSchema
  private let newer: DatabaseSchema

  init(_ older: DatabaseSchema, _ newer: DatabaseSchema) {
    self.older = older
    self.newer = newer
  }

  /// One sentence per violation; none where the newer minor only adds.
  var violations: [String] {
    older.tables.flatMap(check)
      + missing("view", older.views, newer.views)
      + missing("index", older.indexes, newer.indexes)
      + missing("search table", older.searchTables.map(\.name), newer.searchTables.map(\.name))
  }

  private func check(_ table: TableSchema) -> [String] {
    guard let now = newer.tables.first(where: { $0.name == table.name }) else {
      return ["table \"\(table.name)\" is gone"]
    }
    let key = table.keyNames == now.keyNames && table.keyCollations == now.keyCollations
    return (key ? [] : ["table \"\(table.name)\" has another key"])
      + table.columns.flatMap { check($0, table, now) }
      + missing("generated column", table.generated, now.generated, of: table.name)
      + now.columns.flatMap { checkNew($0, table) }
  }

  private func check(_ column: ColumnSchema, _ table: TableSchema, _ now: TableSchema) -> [String] {
    let name = "column \"\(table.name).\(column.name)\""
    guard let new = now.columns.first(where: { $0.name == column.name }) else { return ["\(name) is gone"] }
    let same =
      new.declaredType.uppercased() == column.declaredType.uppercased()
      && new.isNotNull == column.isNotNull && new.collation == column.collation
    return same ? [] : ["\(name) has another type, nullability or collation"]
  }

  private func checkNew(_ column: ColumnSchema, _ table: TableSchema) -> [String] {
    let isNew = !table.columns.contains { $0.name == column.name }
    guard isNew, column.isNotNull, column.defaultSQL == nil else { return [] }
    return ["the new column \"\(table.name).\(column.name)\" is NOT NULL without a default"]
  }

  private func missing(_ kind: String, _ old: [String], _ new: [String]) -> [String] {
    old.filter { !new.contains($0) }.map { "\(kind) \"\($0)\" is gone" }
  }

  private func missing(_ kind: String, _ old: [String], _ new: [String], of table: String) -> [String] {
    missing(kind, old.map { "\(table).\($0)" }, new.map { "\(table).\($0)" })
  }
}
