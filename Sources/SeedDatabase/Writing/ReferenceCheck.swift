import SeedFormat

/// Checks the references of touched rows from both ends: written rows must have parents, and no row may refer
/// to a deleted value. Checks a whole table if many rows were touched or no index finds parents or children.
package struct ReferenceCheck {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let wholeTableShare: Int
  /// The stored sums, which give the row counts of tables that were not touched.
  private let sums: [String: TableSum]

  /// A look-up by index costs about as much as reading this many rows in order.
  package static let usualShare = 4

  /// Creates a check for the transaction that wrote the seed. All rows of a table are checked if more than one row in
  /// `wholeTableShare` was touched; 0 disables this rule.
  init(
    _ connection: Connection, _ schema: DatabaseSchema, _ sums: [String: TableSum] = [:],
    wholeTableShare: Int = Self.usualShare
  ) {
    (self.connection, self.schema, self.sums) = (connection, schema, sums)
    self.wholeTableShare = wholeTableShare
  }

  func run() throws { for table in schema.tables { try checkWhole(table) } }

  func run(_ touched: [String: TableWriter]) throws {
    for table in schema.tables {
      let references = references(of: table)
      if references.contains(where: { needsWholeTable($0, touched) }) {
        try checkWhole(table)
      } else {
        for reference in references { try checkRows(reference, touched) }
      }
    }
  }

  func referencedColumns(of table: TableSchema) -> [[Int]] {
    let all = schema.tables.flatMap { references(of: $0) }
      .filter { $0.parent.name == table.name }.compactMap(\.parentPositions)
    return Array(Set(all)).sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func references(of table: TableSchema) -> [Reference] {
    table.foreignKeys.compactMap { Reference($0, of: table, schema) }
  }

  // MARK: All rows

  private func checkWhole(_ table: TableSchema) throws {
    let references = references(of: table)
    // SQLite's own check precedes the queries below: it also rejects references to columns that are not unique.
    if try references.allSatisfy(isProven) { return }
    let first = try connection.rows("SELECT 1 FROM pragma_foreign_key_check(?) LIMIT 1", .text(table.name))
    if first.isEmpty { return }
    for reference in references {
      let orphan = try connection.rows("\(reference.allOrphans) LIMIT 1").first
      if let orphan { throw broken(reference, orphan) }
    }
  }

  /// Whether an index proves that every value has a parent. Each distinct value is looked up once. SQLite's own check,
  /// which is the fallback, looks up the parent of every row.
  private func isProven(_ reference: Reference) throws -> Bool {
    guard let orphanedValue = reference.orphanedValue, reference.leadsToKey,
      reference.findsChildren(SchemaReader(connection))
    else { return false }
    return try connection.value(orphanedValue) == nil
  }

  // MARK: Single rows

  private func needsWholeTable(_ reference: Reference, _ touched: [String: TableWriter]) -> Bool {
    let rows = (touched[reference.child.name]?.sum ?? sums[reference.child.name])?.rows ?? 0
    let (written, removed) = logs(of: reference, touched)
    let reader = SchemaReader(connection)
    if let written, !written.isEmpty, isMuch(written, of: rows) || !reference.findsParents(reader) {
      return true
    }
    guard let parent = touched[reference.parent.name]?.changes, parent.deleted + parent.updated > 0
    else { return false }
    guard let removed else { return true }
    return !removed.isEmpty
      && (isMuch(removed, of: rows) || !reference.findsChildren(reader) || !reference.findsParents(reader))
  }

  /// The logs of child and parent rows, each nil if no log was kept.
  private func logs(
    of reference: Reference, _ touched: [String: TableWriter]
  ) -> (written: RowLog?, removed: RowLog?) {
    let parent = touched[reference.parent.name]?.watch
    return (
      touched[reference.child.name]?.watch?.written,
      parent?.removed.first { $0.columns == reference.parentPositions }
    )
  }

  private func isMuch(_ log: RowLog, of rows: Int) -> Bool {
    log.isOverfull || log.count * wholeTableShare > rows
  }

  private func checkRows(_ reference: Reference, _ touched: [String: TableWriter]) throws {
    let (written, removed) = logs(of: reference, touched)
    try checkRows(reference, reference.orphanByKey, written)
    try checkRows(reference, reference.orphansByParent, removed)
  }

  private func checkRows(_ reference: Reference, _ sql: String, _ log: RowLog?) throws {
    guard let log, log.count > 0 else { return }
    let statement = try connection.prepare(sql)
    try log.forEach { values in
      for (index, value) in values.enumerated() { try statement.lend(value, at: Int32(index + 1)) }
      if try statement.step() { throw broken(reference, try statement.row()) }
      statement.rewind()
    }
  }

  private func broken(_ reference: Reference, _ key: [SeedValue]) -> ImportError {
    .references(
      table: reference.child.name, parent: reference.parent.name,
      key: rowDescription(reference.child.keyNames, key))
  }
}
