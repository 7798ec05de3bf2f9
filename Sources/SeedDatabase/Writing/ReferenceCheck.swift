package import SeedFormat

/// Checks the references of what an import touched, from both ends.
///
/// A row that was written must find its parents; a value that is gone must leave no row that references it.
/// Where much of a table was touched, and where rows cannot be found by an index, all its rows are looked at.
package struct ReferenceCheck {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let layouts: SeedLayout
  private let wholeTableShare: Int

  /// Looking for a row costs about as much as reading so many in their order.
  package static let usualShare = 4

  /// A check of the seed behind `connection`.
  ///
  /// - Parameters:
  ///   - connection: The seed, inside the transaction that wrote it.
  ///   - schema: Its tables, by the names that deltas have for them.
  ///   - layouts: Which of them lie elsewhere in the file.
  ///   - wholeTableShare: All rows of a table are looked at where one of so many was touched; 0 is never.
  package init(
    _ connection: Connection, _ schema: DatabaseSchema, _ layouts: SeedLayout = SeedLayout(),
    wholeTableShare: Int = Self.usualShare
  ) {
    (self.connection, self.schema, self.layouts) = (connection, schema, layouts)
    self.wholeTableShare = wholeTableShare
  }

  /// Throws the first row found that references nothing, looking at every table.
  package func run() throws {
    for table in schema.tables where !table.foreignKeys.isEmpty {
      if let violation = try whole(table, limit: 1).first { throw violation.error }
    }
  }

  /// Up to `limit` rows that reference nothing among those that `touched` may have led to.
  func violations(_ touched: [String: TouchedTable], limit: Int) throws -> [ReferenceViolation] {
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

  /// Which columns of a table are referenced, as positions; for a ``RowWatch``.
  func referencedColumns(of table: TableSchema) -> [[Int]] {
    let all = schema.tables.flatMap { references(of: $0) }
      .filter { $0.parent.logical.name == table.name }.compactMap(\.parentPositions)
    return Array(Set(all)).sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func references(of table: TableSchema) -> [Reference] {
    table.foreignKeys.compactMap { Reference($0, of: table, schema, layouts) }
  }

  // MARK: All rows

  private func whole(_ table: TableSchema, limit: Int) throws -> [ReferenceViolation] {
    // SQLite's own check goes first where it can: it also refuses references to what is not unique.
    if layouts[table].constants.isEmpty, layouts[table].stored.name == table.name {
      let indexes = TableIndexes(connection)
      if try references(of: table).allSatisfy({ try isProven($0, indexes) }) { return [] }
      let first = try connection.rows("SELECT 1 FROM pragma_foreign_key_check(?) LIMIT 1", .text(table.name))
      if first.isEmpty { return [] }
    }
    return try references(of: table).flatMap { reference in
      try connection.rows("\(reference.allOrphans) LIMIT \(limit)").map {
        ReferenceViolation(reference, key: $0)
      }
    }
  }

  /// Whether an index shows at a glance that every value leads somewhere, for it has each of them once.
  ///
  /// SQLite's own check looks for the parent of every single row. What cannot be proven here is left to it.
  private func isProven(_ reference: Reference, _ indexes: TableIndexes) throws -> Bool {
    guard let orphanedValue = reference.orphanedValue, reference.leadsToKey,
      reference.findsChildren(indexes)
    else { return false }
    return try connection.value(orphanedValue) == nil
  }

  // MARK: Single rows

  private func needsWholeTable(_ reference: Reference, _ touched: [String: TouchedTable]) -> Bool {
    let rows = touched[reference.child.logical.name]?.rows ?? 0
    let written = touched[reference.child.logical.name]?.watch.written
    let parent = touched[reference.parent.logical.name]
    let removed = reference.parentPositions.flatMap { parent?.watch.removed($0) }
    let indexes = TableIndexes(connection)
    if let written, written.count > 0 || written.isOverfull {
      if written.isOverfull || isMuch(written.count, of: rows) || !reference.findsParents(indexes) {
        return true
      }
    }
    guard parent?.hasLost ?? false else { return false }
    guard let removed else { return true }
    guard removed.count > 0 || removed.isOverfull else { return false }
    return removed.isOverfull || isMuch(removed.count, of: rows) || !reference.findsChildren(indexes)
      || !reference.findsParents(indexes)
  }

  private func isMuch(_ count: Int, of rows: Int) -> Bool { count * wholeTableShare > rows }

  private func single(
    _ reference: Reference, _ touched: [String: TouchedTable], _ limit: Int
  ) throws -> [ReferenceViolation] {
    let written = touched[reference.child.logical.name]?.watch.written
    let removed = reference.parentPositions.flatMap {
      touched[reference.parent.logical.name]?.watch.removed($0)
    }
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

/// What an import did to one table, as far as its references are concerned.
struct TouchedTable {
  let watch: RowWatch
  let rows: Int
  let hasLost: Bool
}

/// A row that references nothing.
package struct ReferenceViolation: Hashable, Sendable {
  /// The table, as deltas call it.
  package let table: String
  /// The table where it should find something.
  package let parent: String
  /// The row's key.
  package let key: [SeedValue]
  private let keyNames: [String]

  init(_ reference: Reference, key: [SeedValue]) {
    table = reference.child.logical.name
    parent = reference.parent.logical.name
    keyNames = reference.child.logical.keyNames
    self.key = key
  }

  var error: ImportError { .references(table: table, parent: parent, key: rowDescription(keyNames, key)) }
}

extension RowWatch {
  fileprivate func removed(_ columns: [Int]) -> RowLog? { removed.first { $0.columns == columns } }
}
