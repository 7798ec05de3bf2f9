import SeedDatabase
import SeedFormat
import SeedImport

/// Our importer over a document in chunks.
enum OwnChunks {
  /// Returns the counts of imported and of rejected rows.
  static func run(
    _ connection: Connection, _ document: MemoryDocument, _ chunks: MemoryChunks
  ) throws -> [Int] {
    var rejected = 0
    var hooks = ImportHooks()
    if document == .rejects { hooks.rejected = { _ in rejected += 1 } }
    let policy = ImportPolicy(badRows: document == .rejects ? .collect : .abort)
    let session = try ImportSession(connection, mapping: document.mapping, policy: policy, hooks: hooks)
    try session.begin("stream")
    for chunk in chunks { try chunk.withUnsafeBytes { try session.feed($0) } }
    try session.end()
    return [try session.finish().rows, rejected]
  }
}
