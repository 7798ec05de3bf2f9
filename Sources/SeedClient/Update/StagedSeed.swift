import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A verified snapshot in a folder of its own, which is not current yet.
struct StagedSeed {
  let folder: GenerationFolder
  let file: SeedFile

  var name: String { folder.name }

  init(
    _ fetched: FetchedObject, epoch: Epoch, origin: SeedOrigin = .downloaded, previous: String? = nil,
    in layout: StoreLayout
  ) throws {
    folder = layout.folder(StoreLayout.newName(fetched.object.version))
    do {
      file = try Self.make(fetched, epoch, folder)
      try GenerationRecord(snapshot: fetched.object.sha256, origin: origin, previous: previous).write(
        to: folder)
      try Folder.sync(folder.path)
      try Folder.sync(layout.generations)
    } catch {
      try? Folder.removeAll(folder.path)
      throw error
    }
  }

  private static func make(_ fetched: FetchedObject, _ epoch: Epoch, _ folder: GenerationFolder) throws
    -> SeedFile
  {
    let path = folder.file
    try Folder.create(folder.path, mode: 0o700)
    try fetched.expand(to: path)
    try check(path, fetched.object, epoch)
    fetched.phases.enter(.buildingIndexes)
    try LeftOutIndexes.build(in: Connection(path, .writer))
    let file = try SeedFile(path)
    // Before anyone reads it: later a reader would keep the journal mode from changing.
    try file.enterWAL()
    guard file.schema.hash == fetched.object.schema else {
      throw SeedError(
        .damaged,
        "the schema of \(fetched.object.fileName) differs from the signed one: tell the publication's operator"
      )
    }
    return file
  }

  /// Compares what the file says of itself with signed metadata, only reading, before anything else opens it.
  private static func check(_ path: String, _ object: PublishedObject, _ epoch: Epoch) throws {
    let connection = try Connection(path, .snapshot)
    let meta = try SeedTables.meta(connection)
    let userVersion = try connection.integer("PRAGMA user_version")
    let signed = SeedMeta(
      series: object.series, model: object.model, epoch: epoch, version: object.version,
      schema: object.schema, digest: object.digest, provenance: meta.provenance)
    // Deltas go on from the sums. Whether they are those of the rows only a proof can say, which reads all rows.
    let digest = StateDigest.of(try SeedTables.sums(connection))
    guard meta == signed, digest == signed.digest, userVersion == Int64(object.model.userVersion) else {
      throw SeedError(
        .damaged,
        "the version, schema or digest in \(object.fileName) differs from the signed one: tell the publication's operator"
      )
    }
  }
}
