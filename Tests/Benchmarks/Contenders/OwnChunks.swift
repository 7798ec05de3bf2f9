import SeedDatabase
import SeedFormat
import SeedImport

/// Our importer over a document that comes in chunks.
enum OwnChunks {
  /// The rows that were taken.
  static func run(_ connection: Connection, _ chunks: MemoryWorkload.DocumentStream) throws -> Int {
    let mapping = ImportMapping(TableMapping(MemoryWorkload.table.name))
    let session = try ImportSession(connection, mapping: mapping)
    try session.begin("stream")
    for chunk in chunks { try chunk.withUnsafeBytes { try session.feed($0) } }
    try session.end()
    return try session.finish().rows
  }
}
