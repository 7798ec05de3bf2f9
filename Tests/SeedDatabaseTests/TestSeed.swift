import SeedFormat
import SeedTrust
import Support

@testable import SeedDatabase

/// Makes a seed of the series test/1 from an empty database with tables, and writes rows. Returns its schema.
@discardableResult
func makeSeed(
  _ connection: Connection, version: SeedVersion = 1,
  _ write: (SeedWriter, DatabaseSchema) throws -> Void = { _, _ in }
) throws -> DatabaseSchema {
  let schema = try SchemaReader(connection).schema()
  var meta = SeedMeta(
    series: SeedSeries("test", model: "1.0"), model: "1.0", epoch: .random(), version: version,
    schema: schema.hash, digest: StateDigest.of([:]), provenance: Provenance())
  try connection.transaction {
    try SeedTables.create(meta, schema.tables, connection)
    let writer = try SeedWriter(connection, schema)
    try write(writer, schema)
    meta.digest = try writer.finish().digest
    try SeedTables.store(meta, connection)
  }
  return schema
}

func sum(of rows: [[SeedValue]]) -> TableSum {
  var sum = TableSum()
  var hasher = RowHasher()
  for row in rows { sum.insert(hasher.hash(row)) }
  return sum
}

extension Connection {
  /// Changes the schema's texts without running them.
  func writeSchema(_ sql: String) throws {
    try set(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
    try execute("PRAGMA writable_schema = ON; \(sql); PRAGMA writable_schema = RESET")
  }
}
