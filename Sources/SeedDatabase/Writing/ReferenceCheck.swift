package import SeedFormat

/// Checks the references of touched rows from both ends: a written row must have its parents, and no row may reference
/// a deleted value. Checks all rows of a table if much of it was touched or no index finds the rows.
package struct ReferenceCheck {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let wholeTableShare: Int

  /// A look-up by index costs about as much as reading this many rows in order.
  package static let usualShare = 4

  /// A check in the transaction that wrote the seed. All rows of a table are checked if at least one in
  /// `wholeTableShare` was touched; 0 means never.
  package init(
    _ connection: Connection, _ schema: DatabaseSchema, wholeTableShare: Int = Self.usualShare
  ) {
    (self.connection, self.schema, self.wholeTableShare) = (connection, schema, wholeTableShare)
  }

  /// Checks every table; throws the first broken reference.
  package func run() throws {
    for table in schema.tables where !table.foreignKeys.isEmpty {
      if let violation = try whole(table, limit: 1).first { throw violation.error }
    }
  }

  func violations(_ touched: [String: TableWriter], limit: Int) throws -> [ReferenceViolation] {
    var found: [ReferenceViolation] = []
    for table in schema.tables where !table.foreignKeys.isEmpty && found.count < limit {
      let references = references(of: table)
      let needsAll = references.contains { needsWholeTable($0, touched) }
      let more =
        needsAll ? try whole(table, limit: limit) : try references.flatMap { try single($0, touched, limit) }
      for violation in more where !found.contains(violation) { found.append(violation) }
    }
    return Array(found.prefix(limit))
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

  private func whole(_ table: TableSchema, limit: Int) throws -> [ReferenceViolation] {
    // SQLite's own check goes first, because it also rejects references to columns that are not unique.
    if try references(of: table).allSatisfy(isProven) { return [] }
    let first = try connection.rows("SELECT 1 FROM pragma_foreign_key_check(?) LIMIT 1", .text(table.name))
    if first.isEmpty { return [] }
    return try references(of: table).flatMap { reference in
      let keys = try connection.rows("\(reference.allOrphans) LIMIT \(limit)")
      return keys.map { ReferenceViolation(reference, key: $0) }
    }
  }

  /// Whether an index proves that every value has a parent, looking up each distinct value once. SQLite's own check,
  /// the fallback, looks up the parent of every row.
  private func isProven(_ reference: Reference) throws -> Bool {
    guard let orphanedValue = reference.orphanedValue, reference.leadsToKey,
      reference.findsChildren(SchemaReader(connection))
    else { return false }
    return try connection.value(orphanedValue) == nil
  }

  // MARK: Single rows

  private func needsWholeTable(_ reference: Reference, _ touched: [String: TableWriter]) -> Bool {
    let rows = touched[reference.child.name]?.sum?.rows ?? 0
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

  /// The logs of child and parent rows, each nil if it was not kept.
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

  private func single(
    _ reference: Reference, _ touched: [String: TableWriter], _ limit: Int
  ) throws -> [ReferenceViolation] {
    let (written, removed) = logs(of: reference, touched)
    return try orphans(reference, reference.orphanByKey, written, limit)
      + orphans(reference, reference.orphansByParent, removed, limit)
  }

  private func orphans(
    _ reference: Reference, _ sql: String, _ log: RowLog?, _ limit: Int
  ) throws -> [ReferenceViolation] {
    guard let log, log.count > 0 else { return [] }
    let statement = try connection.prepare(sql)
    var found: [ReferenceViolation] = []
    try log.forEach { values in
      for (index, value) in values.enumerated() { try statement.lend(value, at: Int32(index + 1)) }
      while try statement.step() { found.append(ReferenceViolation(reference, key: try statement.row())) }
      statement.rewind()
      return found.count < limit
    }
    return found
  }
}

/// A row whose reference has no parent row.
package struct ReferenceViolation: Hashable, Sendable {
  package let table: String
  package let parent: String
  package let key: [SeedValue]
  private let keyNames: [String]

  init(_ reference: Reference, key: [SeedValue]) {
    table = reference.child.name
    parent = reference.parent.name
    keyNames = reference.child.keyNames
    self.key = key
  }

  var error: ImportError { .references(table: table, parent: parent, key: rowDescription(keyNames, key)) }
}
