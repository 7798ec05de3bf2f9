package import SeedFormat

/// Writes rows to a seed and maintains its row counts and sums. The caller opens the transaction and commits it after
/// ``finish()``, which checks the references of changed rows. Foreign keys must be off, because a cascade by SQLite
/// would bypass the digest.
package final class SeedWriter {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let keyLimit: Int
  private let fitter = AffinityFitter()
  private let storedSums: [String: TableSum]
  private var tables: [String: TableRows] = [:]
  private var searches: [SearchIndex] = []

  /// `keyLimit`: maximum number of changed keys reported per table.
  package init(_ connection: Connection, _ schema: DatabaseSchema, keyLimit: Int = 0) throws {
    guard try connection.integer("PRAGMA foreign_keys") == 0 else { throw ImportError.foreignKeysEnforced }
    (self.connection, self.schema, self.keyLimit) = (connection, schema, keyLimit)
    storedSums = try SeedTables.sums(connection)
  }

  package func rows(of table: TableSchema) throws -> TableRows {
    if let rows = tables[table.name] { return rows }
    let sum = storedSums[table.name] ?? TableSum()
    let watch = RowWatch(
      table, referenced: ReferenceCheck(connection, schema).referencedColumns(of: table),
      try searchIndexes(over: table, rows: sum.rows),
      keyLimit > 0 ? KeyLog(key: table.key, limit: keyLimit) : nil)
    let rows = TableRows(table, connection, fitter, sum, watch)
    tables[table.name] = rows
    return rows
  }

  /// Writes the remaining rows, checks references, completes search tables and stores the sums.
  package func finish() throws -> ImportResult {
    try checkReferences()
    for search in searches { try search.finish() }
    let writers = tables.mapValues(\.writer)
    let sums = storedSums.merging(writers.compactMapValues(\.sum)) { $1 }
    for (name, writer) in writers where !writer.changes.isEmpty {
      try SeedTables.store(sums[name] ?? TableSum(), of: name, connection)
    }
    return ImportResult(
      changes: writers.mapValues(\.changes), digest: StateDigest.of(sums),
      keys: writers.compactMapValues { $0.watch?.changedKeys })
  }

  /// Writes waiting rows, and throws an error for the first broken reference.
  package func checkReferences(wholeTableShare: Int = ReferenceCheck.usualShare) throws {
    for rows in tables.values { try rows.flush() }
    for rows in tables.values { try rows.finish() }
    let check = ReferenceCheck(connection, schema, storedSums, wholeTableShare: wholeTableShare)
    try check.run(tables.mapValues(\.writer).filter { !$0.value.changes.isEmpty })
  }

  private func searchIndexes(over table: TableSchema, rows: Int) throws -> [SearchIndex] {
    let own = schema.searchTables.filter { $0.content == table.name }
    let indexes = try own.map { try SearchIndex($0, table, rows: rows, connection) }
    searches += indexes
    return indexes
  }
}

package struct ImportResult: Hashable, Sendable {
  package let changes: ChangeReport
  package let digest: SHA256Digest
  /// The changed keys of each table, up to the limit; empty unless requested.
  package let keys: [String: ChangedKeys]
}

/// The reason why rows cannot be written. The caller must roll back the transaction.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownTable(String)
  case wrongColumns(table: String)
  case wrongSet(table: String, columns: [String])
  case missingRow(table: String, key: String)
  case nullInKey(table: String, column: String)
  case constraint(table: String, key: String, message: String)
  case references(table: String, parent: String, key: String)
  case foreignKeysEnforced

  package var description: String {
    switch self {
    case .unknownTable(let table): "there is no table \"\(table)\""
    case .wrongColumns(let table): "table \"\(table)\": the delta's columns or key differ from the table's"
    case .wrongSet(let table, let columns):
      "table \"\(table)\": an update sets \(columns.joined(separator: ", ")): each must be a stored column outside the key, "
        + "named once"
    case .missingRow(let table, let key): "table \"\(table)\", row \(key): no such row to update"
    case .nullInKey(let table, let column): "table \"\(table)\": NULL in the key column \"\(column)\""
    case .constraint(let table, let key, let message): "table \"\(table)\", row \(key): \(message)"
    case .references(let table, let parent, let key):
      "table \"\(table)\", row \(key): references a row that table \"\(parent)\" does not have"
    case .foreignKeysEnforced:
      "the connection enforces foreign keys: turn this off before the transaction; the importer checks foreign keys"
    }
  }
}

package struct TableChanges: Hashable, Sendable {
  package var inserted = 0
  package var updated = 0
  package var unchanged = 0
  package var deleted = 0

  package init() {}

  package var isEmpty: Bool { inserted + updated + deleted == 0 }

  package static func + (left: TableChanges, right: TableChanges) -> TableChanges {
    var sum = left
    sum.inserted += right.inserted
    sum.updated += right.updated
    sum.unchanged += right.unchanged
    sum.deleted += right.deleted
    return sum
  }
}

package typealias ChangeReport = [String: TableChanges]
