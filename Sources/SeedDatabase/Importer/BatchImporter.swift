package import SeedFormat

/// Takes rows into a seed and keeps its row counts and sums.
///
/// The caller opens the transaction, and commits it after ``finish()``. Foreign keys must be off: SQLite's
/// cascades would delete behind the digest's back. The references of what was touched are checked at the end.
package final class BatchImporter {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let layouts: SeedLayout
  private let fitter = AffinityFitter()
  private var block = ByteBlock()
  private let storedSums: [String: TableSum]
  private var batches: [String: RowBatch] = [:]

  /// An importer for the seed behind `connection`; `layouts` says which tables lie elsewhere than `schema` has them.
  package init(
    _ connection: Connection, _ schema: DatabaseSchema, _ layouts: SeedLayout = SeedLayout()
  ) throws {
    guard try connection.integer("PRAGMA foreign_keys") == 0 else { throw ImportError.foreignKeysEnforced }
    self.connection = connection
    self.schema = schema
    self.layouts = layouts
    storedSums = try SeedTables.sums(connection)
  }

  /// Makes the row with this key equal to `row`, which holds every stored column in declared order.
  package func upsert(_ row: [SeedValue], in table: TableSchema) throws {
    try rows(of: table).upsert(lent: block.lend(row))
  }

  /// Adds a row to a table that is known not to have its key; one that does is an error.
  package func insert(_ row: [SeedValue], in table: TableSchema) throws {
    try rows(of: table).insert(lent: block.lend(row))
  }

  /// Takes the row with this key away, if it is there.
  package func delete(key: [SeedValue], in table: TableSchema) throws {
    try rows(of: table).delete(lentKey: block.lend(key))
  }

  /// Where rows of a table go in: for whoever has many of them.
  package func rows(of table: TableSchema) throws -> RowBatch {
    if let batch = batches[table.name] { return batch }
    let layout = layouts[table]
    let writer = try TableWriter(
      layout, storedSums[table.name] ?? TableSum(), connection, fitter, nil)
    let batch = RowBatch(writer, layout, connection)
    batches[table.name] = batch
    return batch
  }

  /// Resolves what was set aside, checks references, rebuilds search tables and stores the sums.
  package func finish() throws -> ImportResult {
    for batch in batches.values { try batch.flush() }
    let writers = batches.mapValues(\.writer)
    for writer in writers.values { try writer.resolveSetAside() }
    let touched = Set(writers.filter { !$0.value.changes.isEmpty }.keys)
    try ReferenceCheck(connection, schema).run(touched: touched)
    try rebuildSearch(touched)
    let sums = storedSums.merging(writers.compactMapValues(\.sum)) { $1 }
    for name in touched { try SeedTables.store(sums[name] ?? TableSum(), of: name, connection) }
    return ImportResult(changes: writers.mapValues(\.changes), digest: StateDigest.of(sums))
  }

  private func rebuildSearch(_ touched: Set<String>) throws {
    let names = Set(touched.map { $0.lowercased() })
    for search in schema.searchTables where names.contains(search.content.lowercased()) {
      let name = quoted(search.name)
      try connection.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
    }
  }
}

/// What an import did and where it led.
package struct ImportResult: Hashable, Sendable {
  package let changes: ChangeReport
  package let digest: SHA256Digest
}
