import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// The paths of a series' files under compression. Steps do not sweep them, because they publish meanwhile. The files
/// belong to the holder of the series' snapshot lock; those of a first snapshot, to the holder of the publication's
/// lock.
struct DraftFiles {
  let publication: PublicationDirectory
  let series: SeedSeries
  let stateFolder: String
  /// Whether the snapshot starts a history or schema. Another process may then still be making an earlier one.
  var isFirst = false

  var file: String { files[isFirst ? 1 : 0] }

  private var files: [String] { ["", ".new"].map { "\(stateFolder)/\(series.roleName)\($0).snapshot" } }

  func path(_ version: SeedVersion, _ encoding: ContentEncoding) throws(FileError) -> String {
    let folder = publication.objectFolder(series)
    try Folder.create(folder)
    return "\(folder)snapshot-\(version)-\(encoding.rawValue)\(PublicationDirectory.draftSuffix)"
  }

  /// Removes files left by crashes, unless a process is making a snapshot. The caller holds the publication's lock.
  func sweep() throws {
    guard try files.contains(where: SnapshotFile.exists) || !compressed().isEmpty else { return }
    _ = try publication.snapshotLock(of: series).holdIfFree {
      for file in files { try SnapshotFile.remove(file) }
      for path in try compressed() { try Folder.remove(path) }
    }
  }

  private func compressed() throws(FileError) -> [String] {
    let folder = publication.objectFolder(series)
    return try Folder.names(in: folder).filter { $0.hasSuffix(PublicationDirectory.draftSuffix) }
      .map { folder + $0 }
  }
}

extension PublicationDirectory {
  /// For the one process that changes the publication.
  var lock: LockFile { LockFile("\(path)/.lock", of: path) }

  /// For the one process that makes snapshots of the series. Never wait for this lock while holding the publication's
  /// lock, for which the holder of this one waits.
  func snapshotLock(of series: SeedSeries) -> LockFile {
    LockFile("\(path)/.\(series.roleName).snapshots.lock", of: path)
  }

  /// Protects collecting and writing facts, so older facts never replace newer ones.
  var factsLock: LockFile { LockFile("\(path)/.facts.lock", of: path) }
}
