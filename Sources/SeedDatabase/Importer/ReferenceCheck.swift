import SeedFormat

/// Checks the references of the tables that an import touched, from both ends.
package struct ReferenceCheck {
  private let connection: Connection
  private let schema: DatabaseSchema

  package init(_ connection: Connection, _ schema: DatabaseSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Throws the first row found that references nothing. A touched parent makes its children suspects too.
  package func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    for table in schema.tables where !table.foreignKeys.isEmpty {
      let ends = [table.name] + table.foreignKeys.map(\.parent)
      if ends.contains(where: { touched.contains($0.lowercased()) }) { try check(table) }
    }
  }

  private func check(_ table: TableSchema) throws {
    if try table.foreignKeys.allSatisfy({ try isProven($0, of: table) }) { return }
    let violation = try connection.rows(
      #"SELECT rowid, parent, fkid FROM pragma_foreign_key_check(?) LIMIT 1"#, .text(table.name))
    guard let violation = violation.first else { return }
    throw ImportError.references(
      table: table.name, parent: violation[1].text,
      key: rowDescription(table.keyNames, try key(of: violation, table) ?? []))
  }

  /// Whether an index shows at a glance that every value leads somewhere: it has each of them once.
  ///
  /// SQLite's own check looks for the parent of every single row. What is not proven here is left to it, and so is
  /// every reference whose two ends compare differently.
  private func isProven(_ reference: ForeignKeySchema, of table: TableSchema) throws -> Bool {
    guard let parent = schema.table(reference.parent), reference.columns.count == 1,
      let ends = ends(reference, table, parent), try isIndexed(ends.child.name, of: table)
    else { return false }
    let values = "SELECT DISTINCT \(quoted(ends.child.name)) AS value FROM \(quoted(table.name))"
    let parents = "SELECT 1 FROM \(quoted(parent.name)) AS parent"
    let match = "parent.\(quoted(ends.parent.name)) = value"
    return try connection.value(
      "SELECT 1 FROM (\(values)) WHERE value IS NOT NULL AND NOT EXISTS (\(parents) WHERE \(match)) LIMIT 1"
    ) == nil
  }

  /// The columns at both ends, where they compare alike.
  private func ends(
    _ reference: ForeignKeySchema, _ table: TableSchema, _ parent: TableSchema
  ) -> (child: ColumnSchema, parent: ColumnSchema)? {
    let parentNames = reference.parentColumns.isEmpty ? parent.keyNames : reference.parentColumns
    guard parentNames.count == 1, let child = table.column(reference.columns[0]),
      let other = parent.column(parentNames[0]),
      child.affinity == other.affinity, child.collation == other.collation
    else { return nil }
    return (child, other)
  }

  private func isIndexed(_ column: String, of table: TableSchema) throws -> Bool {
    try connection.value(
      """
      SELECT 1 FROM pragma_index_list(?1) AS l JOIN pragma_index_xinfo(l.name) AS x
      WHERE x.seqno = 0 AND x.name = ?2 COLLATE NOCASE AND NOT l.partial
      """, .text(table.name), .text(column)) != nil
  }

  private func key(of violation: [SeedValue], _ table: TableSchema) throws -> [SeedValue]? {
    let key = "SELECT \(table.keyNames.map(quoted).joined(separator: ", ")) FROM \(quoted(table.name))"
    if case .integer = violation[0], !table.isWithoutRowid {
      return try connection.rows("\(key) WHERE rowid = ?", violation[0]).first
    }
    // Tables WITHOUT ROWID report no row, only which of their references it is that leads nowhere.
    guard case .integer(let number) = violation[2], table.foreignKeys.indices.contains(Int(number)) else {
      return nil
    }
    let reference = table.foreignKeys[Int(number)]
    guard let parent = schema.table(reference.parent) else { return nil }
    return try connection.rows("\(key) AS child WHERE \(orphaned(reference, parent)) LIMIT 1").first
  }

  private func orphaned(_ reference: ForeignKeySchema, _ parent: TableSchema) -> String {
    let columns = reference.columns.map { "child.\(quoted($0))" }
    let parents = reference.parentColumns.isEmpty ? parent.keyNames : reference.parentColumns
    // The parent's column stands first, for its collation is the one that counts.
    let matches = zip(parents, columns).map { "parent.\(quoted($0)) = \($1)" }.joined(separator: " AND ")
    return columns.map { "\($0) IS NOT NULL AND " }.joined()
      + "NOT EXISTS (SELECT 1 FROM \(quoted(parent.name)) AS parent WHERE \(matches))"
  }
}

extension TableSchema {
  fileprivate func column(_ name: String) -> ColumnSchema? {
    columns.first { $0.name.lowercased() == name.lowercased() }
  }
}
