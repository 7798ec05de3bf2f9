import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A verified snapshot in its own folder, not yet current.
struct StagedSeed {
  let folder: GenerationFolder
  let file: SeedFile

  var name: String { folder.name }

  init(
    _ fetched: FetchedObject, epoch: Epoch, origin: SeedOrigin = .downloaded, previous: String? = nil,
    provingRows: Bool, in layout: StoreLayout
  ) throws {
    folder = layout.folder(StoreLayout.newName(fetched.object.version))
    do {
      file = try Self.make(fetched, epoch, folder, provingRows: provingRows)
      try GenerationRecord(snapshot: fetched.object.sha256, origin: origin, previous: previous).write(
        to: folder)
      try Folder.sync(folder.path)
      try Folder.sync(layout.generations)
    } catch {
      try? Folder.removeAll(folder.path)
      throw Self.blaming(fetched.object, for: error)
    }
  }

  /// The file has the signed bytes, so the publisher signed a damaged file unless this device's disk or memory failed.
  private static func blaming(_ object: PublishedObject, for error: any Error) -> any Error {
    switch error {
    case is NotASeed, is ForeignDefinition, is SchemaProblem: break
    case let error as DatabaseError where !error.saysObstacle && error.primaryCode != ResultCode.interrupted:
      break
    default: return error
    }
    return SeedError(
      .damaged, "\(object.fileName) cannot be read (\(error.cause)): \(SeedError.verifyOnServer)")
  }

  private static func make(
    _ fetched: FetchedObject, _ epoch: Epoch, _ folder: GenerationFolder, provingRows: Bool
  ) throws -> SeedFile {
    let path = folder.file
    try Folder.create(folder.path, mode: 0o700)
    try fetched.expand(to: path)
    try check(path, fetched.object, epoch, provingRows: provingRows)
    fetched.phases.enter(.buildingIndexes)
    try complete(path, fetched.object, provingRows: provingRows)
    let file = try SeedFile(path)
    // Must precede all readers, because an open reader blocks the change of journal mode.
    try file.enterWAL()
    return file
  }

  /// Builds the omitted indexes. If `provingRows` is set, also compares search tables with their content. SQLite
  /// treats that comparison as a write, although it changes nothing.
  private static func complete(_ path: String, _ object: PublishedObject, provingRows: Bool) throws {
    let connection = try Connection(path, .seed)
    let schema = try OmittedIndexes.build(in: connection, signed: object.schema)
    if provingRows { try SeedCheck(connection, schema).checkSearchTables() }
  }

  /// Compares the file's metadata with the signed metadata. If `provingRows` is set, also compares the sums,
  /// references and indexes with the rows. Only reads, and must run before anything writes to the file.
  private static func check(
    _ path: String, _ object: PublishedObject, _ epoch: Epoch, provingRows: Bool
  ) throws {
    let connection = try Connection(path, .snapshot)
    let meta = try SeedTables.meta(connection)
    let userVersion = try connection.integer("PRAGMA user_version")
    let signed = SeedMeta(
      series: object.series, model: object.model, epoch: epoch, version: object.version,
      schema: object.schema, digest: object.digest, provenance: meta.provenance)
    guard meta == signed, userVersion == Int64(object.model.userVersion) else {
      throw differs("version, schema or digest", object)
    }
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == object.schema else { throw differs("schema", object) }
    // Deltas update the stored sums, so these must match the digest.
    let sums = try SeedTables.sums(connection)
    guard StateDigest.of(sums) == signed.digest else { throw differs("digest", object) }
    if provingRows { try SeedCheck(connection, schema).run() }
  }

  private static func differs(_ part: String, _ object: PublishedObject) -> SeedError {
    SeedError(
      .damaged,
      "the \(part) in \(object.fileName) differs from the signed one: \(SeedError.verifyOnServer)")
  }
}
