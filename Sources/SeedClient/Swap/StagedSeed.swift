import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A verified snapshot in a folder of its own, which does not count yet.
struct StagedSeed {
  let folder: GenerationFolder
  let file: SeedFile

  var name: String { folder.name }

  /// Expands and checks the snapshot, and readies its file for readers and one writer.
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
    try SnapshotCheck.run(path, fetched.object, epoch: epoch)
    fetched.phases.enter(.buildingIndexes)
    try LeftOutIndexes.build(in: Connection(path, .writer))
    let file = try SeedFile(path)
    // Before anyone reads it: later a reader would keep the journal mode from changing.
    try file.enterWAL()
    guard file.schema.hash == fetched.object.schema else {
      throw SeedError(.damaged, "\(fetched.object.fileName) does not have the schema that was signed")
    }
    return file
  }
}
