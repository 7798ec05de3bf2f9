import SeedFormat

/// Proves a seed from its content alone: structure, references, and the digest recomputed from the rows.
package struct SeedCheck {
  private let connection: Connection
  private let schema: DatabaseSchema

  package init(_ connection: Connection, _ schema: DatabaseSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Throws the first thing that is wrong.
  package func run() throws {
    let words = try connection.value("PRAGMA integrity_check(1)")?.text ?? ""
    guard words == "ok" else { throw NotASeed("integrity_check says: \(words)") }
    try ReferenceCheck(connection, schema).run()
    let sums = try sums()
    guard try SeedTables.sums(connection) == sums else {
      throw NotASeed("the rows are not those of the stored sums")
    }
    guard try SeedTables.meta(connection).digest == StateDigest.of(sums) else {
      throw NotASeed("the rows are not those of the stored digest")
    }
  }

  /// The sums of all tables, from their rows.
  package func sums() throws -> [String: TableSum] {
    var sums: [String: TableSum] = [:]
    for table in schema.tables { sums[table.name] = try sum(of: table) }
    return sums
  }

  private func sum(of table: TableSchema) throws -> TableSum {
    let rows = try connection.prepare(TableSQL(table).all)
    var sum = TableSum()
    var hasher = RowHasher()
    while try rows.step() { sum.insert(hasher.hash(try rows.row())) }
    return sum
  }
}
