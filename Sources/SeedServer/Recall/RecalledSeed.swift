package import SeedDatabase
import SeedFormat
import SeedTrust

/// A published snapshot in a file of its own, to which published deltas are applied.
package struct RecalledSeed {
  package let connection: Connection
  package let schema: DatabaseSchema
  package let path: String

  /// Expands a snapshot to `path`. The file is nobody's but this one's, and need not outlive a crash.
  init(_ snapshot: PublishedObject, in publication: PublicationDirectory, at path: String) throws {
    try WorkingCopy.remove(path)
    try publication.expand(snapshot, to: path)
    connection = try Connection(path, .writer)
    try connection.execute("PRAGMA synchronous = OFF")
    try LeftOutIndexes.build(in: connection)
    schema = try SchemaReader(connection).schema()
    self.path = path
    guard schema.hash == snapshot.schema, try meta().digest == snapshot.digest else {
      throw PublicationError.damaged(file: publication.file(snapshot))
    }
  }

  /// What the file says of itself.
  package func meta() throws -> SeedMeta { try SeedTables.meta(connection) }

  /// Applies a delta and keeps what it did.
  func apply(_ delta: PublishedObject, from publication: PublicationDirectory) throws {
    let document = try publication.pieces(delta)
    try connection.transaction { _ = try apply(document, delta) }
  }

  /// Applies a delta, and takes it back.
  func tryOut(_ delta: PublishedObject, from publication: PublicationDirectory) throws {
    let document = try publication.pieces(delta)
    try connection.execute("BEGIN IMMEDIATE")
    defer { connection.rollBack() }
    _ = try apply(document, delta)
  }

  /// Applies a delta's document in the open transaction; it must lead to what was signed.
  private func apply(
    _ document: @escaping DocumentPieces.Source, _ delta: PublishedObject
  ) throws -> ImportResult {
    try DeltaApplier(connection, schema).apply(document, signed: delta)
  }

  /// Compares the digest of the rows as they are with the signed one.
  func prove(_ digest: SHA256Digest) throws {
    let sums = try SeedCheck(connection, schema).sums()
    guard StateDigest.of(sums) == digest else {
      throw NotASeed("the rows are not those of the signed digest")
    }
  }
}

extension PublicationDirectory {
  /// Expands a snapshot to a new file; what comes out is what was signed.
  func expand(_ snapshot: PublishedObject, to path: String) throws {
    let raw = try Compression.expand(
      file(snapshot), to: path, snapshot.encoding, limit: snapshot.rawLength)
    guard raw == .init(length: snapshot.rawLength, sha256: snapshot.rawSHA256) else {
      throw PublicationError.damaged(file: file(snapshot))
    }
  }
}
