package import SeedDatabase
package import SeedFormat
import SeedTrust

/// All rows of a seed by table and canonical key, equal for equal seeds.
package typealias SeedRows = [String: [[UInt8]: [UInt8]]]

/// Reads all rows with plain SELECTs, slowly but obviously correctly.
package func seedRows(_ connection: Connection, _ schema: DatabaseSchema) throws -> SeedRows {
  var all: SeedRows = [:]
  for table in schema.tables {
    var rows: [[UInt8]: [UInt8]] = [:]
    let columns = table.columnNames.map(quoted).joined(separator: ", ")
    for row in try connection.rows("SELECT \(columns) FROM \(quoted(table.name))") {
      rows[CanonicalRow.bytes(of: table.keyValues(of: row))] = CanonicalRow.bytes(of: row)
    }
    all[table.name] = rows
  }
  return all
}

/// The state digest computed from canonical bytes, without shared state between rows.
package func slowDigest(_ rows: SeedRows) -> SHA256Digest {
  StateDigest.of(
    rows.mapValues { table in
      var sum = TableSum()
      for row in table.values { sum.insert(SHA256Digest.of(row)) }
      return sum
    })
}

extension CanonicalRow {
  package static func bytes(of row: [SeedValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    LentBytes.lending(row) { write(lent: $0, over: &bytes) }
    return bytes
  }
}

extension RowHasher {
  package mutating func hash(_ row: [SeedValue]) -> SHA256Digest {
    let bytes = LentBytes()
    return withExtendedLifetime(bytes) { hash(lent: bytes.lend(row)) }
  }
}

extension DeltaApplier {
  package func apply(_ document: [UInt8]) throws -> ImportResult { try apply(DocumentPieces.of(document)) }
}

extension SeedWriter {
  package func upsert(_ row: [SeedValue], in table: TableSchema) throws {
    try LentBytes.lending(row) { try rows(of: table).write(lent: $0) }
  }

  package func insert(_ row: [SeedValue], in table: TableSchema) throws {
    try LentBytes.lending(row) { try rows(of: table).write(lent: $0, isNew: true) }
  }

  package func delete(key: [SeedValue], in table: TableSchema) throws {
    try LentBytes.lending(key) { try rows(of: table).delete(lentKey: $0) }
  }
}
