import SeedDatabase
import SeedFormat
import SeedTrust
import Support

/// Everything that a snapshot says about its data, read with plain SELECTs.
struct SeedContent: Equatable {
  private let schema: SHA256Digest
  private let values: [[SeedValue]]

  /// Without texts about the data's origin, which no signature covers in a file.
  private static let queries = [
    "PRAGMA application_id", "PRAGMA user_version", "SELECT * FROM stop NOT INDEXED ORDER BY id",
    "SELECT * FROM line NOT INDEXED ORDER BY number", "SELECT * FROM seedbank_table ORDER BY name",
    """
    SELECT key, value FROM seedbank_meta
    WHERE key IN ('dataset', 'series', 'model', 'epoch', 'version', 'schema', 'digest') ORDER BY key
    """,
  ]

  /// Throws if SQLite finds damage in the file, its indexes or its search table.
  init(_ path: String) throws {
    let connection = try Connection(path, .creator)
    let complaints = try StructureCheck(connection).complaints(.whole)
    guard complaints.isEmpty else { throw NotASeed(complaints.joined(separator: "; ")) }
    try connection.execute("INSERT INTO stop_search(stop_search, rank) VALUES ('integrity-check', 1)")
    schema = try SchemaReader(connection).schema().hash
    values = try Self.queries.flatMap { try connection.rows($0) }
  }
}
