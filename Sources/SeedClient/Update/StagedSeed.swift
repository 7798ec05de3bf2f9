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
      throw error
    }
  }

  private static func make(
    _ fetched: FetchedObject, _ epoch: Epoch, _ folder: GenerationFolder, provingRows: Bool
  ) throws -> SeedFile {
    let path = folder.file
    try Folder.create(folder.path, mode: 0o700)
    try fetched.expand(to: path)
    try check(path, fetched.object, epoch, provingRows: provingRows)
    fetched.phases.enter(.buildingIndexes)
    _ = try LeftOutIndexes.build(in: Connection(path, .writer), signed: fetched.object.schema)
    let file = try SeedFile(path)
    // Before any reader opens the file, which would block the change of journal mode.
    try file.enterWAL()
    return file
  }

  /// Compares metadata and, if `provingRows`, row sums with signed metadata. Only reads, and opens the file first.
  private static func check(
    _ path: String, _ object: PublishedObject, _ epoch: Epoch, provingRows: Bool
  ) throws {
    let connection = try Connection(path, .snapshot)
    connection.endWithTask()
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
    // Deltas build on the stored sums.
    let sums = try SeedTables.sums(connection)
    guard StateDigest.of(sums) == signed.digest else { throw differs("digest", object) }
    guard try !provingRows || SeedCheck(connection, schema).sums() == sums else {
      throw differs("digest of the rows", object)
    }
  }

  private static func differs(_ part: String, _ object: PublishedObject) -> SeedError {
    SeedError(
      .damaged,
      "the \(part) in \(object.fileName) differs from the signed one: ask the publication's operator")
  }
}
