import SeedDatabase
import SeedFormat

/// Flat objects of a list that comes in chunks, straight from the scanner to the table's writer.
enum OwnChunks {
  /// The rows that were taken.
  static func run(_ connection: Connection, _ chunks: MemoryWorkload.DocumentStream) throws -> Int {
    guard let table = try SchemaReader(connection).schema().tables.first else { return 0 }
    let writer = try TableWriter(table, RowShape(whole: table), nil, connection, AffinityFitter())
    var rows = FlatRows()
    var count = 0
    try connection.transaction {
      for chunk in chunks {
        rows.feed(chunk)
        count += try rows.readList(table) { try writer.upsert($0) }
      }
    }
    return count
  }
}
