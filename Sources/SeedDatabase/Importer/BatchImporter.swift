package import SeedFormat

/// Takes rows into a seed and keeps its row counts and sums.
///
/// The caller opens the transaction, and commits it after ``finish()``. Foreign keys must be off: SQLite's
/// cascades would delete behind the digest's back. The references of what was touched are checked at the end.
package final class BatchImporter {
  private let connection: Connection
  private let schema: DatabaseSchema
  private let fitter = AffinityFitter()
  private var block = ByteBlock()
  private let storedSums: [String: TableSum]
  private var writers: [String: TableWriter] = [:]

  /// An importer for the seed behind `connection`.
  package init(_ connection: Connection, _ schema: DatabaseSchema) throws {
    guard try connection.integer("PRAGMA foreign_keys") == 0 else { throw ImportError.foreignKeysEnforced }
    self.connection = connection
    self.schema = schema
    storedSums = try SeedTables.sums(connection)
  }

  /// Makes the row with this key equal to `row`, which holds every stored column in declared order.
  package func upsert(lent row: [BorrowedValue], in table: TableSchema) throws {
    try writer(table).upsert(row)
  }

  /// As ``upsert(lent:in:)``, for values that are kept elsewhere.
  package func upsert(_ row: [SeedValue], in table: TableSchema) throws {
    try writer(table).upsert(block.lend(row))
  }

  /// Adds a row to a table that is known not to have its key; one that does is an error.
  package func insert(_ row: [SeedValue], in table: TableSchema) throws {
    try writer(table).insert(block.lend(row))
  }

  /// Adds the rows that `next` lends, one after the other, to a table that is known to have none of their keys.
  package func insert(in table: TableSchema, _ next: () throws -> [BorrowedValue]?) throws {
    let writer = try writer(table)
    while let row = try next() { try writer.insert(row) }
  }

  /// Takes the row with this key away, if it is there.
  package func delete(lentKey key: [BorrowedValue], in table: TableSchema) throws {
    try writer(table).delete(key: key)
  }

  /// As ``delete(lentKey:in:)``, for a key that is kept elsewhere.
  package func delete(key: [SeedValue], in table: TableSchema) throws {
    try writer(table).delete(key: block.lend(key))
  }

  /// Resolves what was set aside, checks references, rebuilds search tables and stores the sums.
  package func finish() throws -> ImportResult {
    for writer in writers.values { try writer.resolveSetAside() }
    let touched = Set(writers.values.filter { !$0.changes.isEmpty }.map(\.table.name))
    try ReferenceCheck(connection, schema).run(touched: touched)
    try rebuildSearch(touched)
    let sums = storedSums.merging(writers.compactMapValues(\.sum)) { $1 }
    for name in touched { try SeedTables.store(sums[name] ?? TableSum(), of: name, connection) }
    return ImportResult(changes: writers.mapValues(\.changes), digest: StateDigest.of(sums))
  }

  private func writer(_ table: TableSchema) throws -> TableWriter {
    if let writer = writers[table.name] { return writer }
    let writer = try TableWriter(
      table, RowShape(whole: table), storedSums[table.name] ?? TableSum(), connection, fitter)
    writers[table.name] = writer
    return writer
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
