import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A compressed snapshot under a name that only its maker knows.
struct SnapshotDraft {
  let path: String
  let object: PublishedObject
}

/// The places of one series' snapshots in the making. Other steps publish meanwhile, so their names are not those of
/// files that every step sweeps. They belong to the holder of the series' snapshot lock, and those of a first
/// snapshot to the holder of the publication's.
struct SnapshotDrafts {
  let publication: PublicationDirectory
  let series: Series
  let stateFolder: String
  /// The snapshot is the first of a new history or schema: it is made under the publication's lock, and meanwhile
  /// somebody may still be making one of the versions before.
  var isFirst = false

  var file: String { file(isFirst: isFirst) }

  private func file(isFirst: Bool) -> String {
    "\(stateFolder)/\(series.roleName)\(isFirst ? ".new" : "").snapshot"
  }

  private var files: [String] { [file(isFirst: true), file(isFirst: false)] }

  func path(_ version: Version, _ encoding: ContentEncoding) throws(FileError) -> String {
    let folder = publication.objectFolder(series)
    try Folder.create(folder)
    return "\(folder)snapshot-\(version)-\(encoding.rawValue)\(PublicationDirectory.draftSuffix)"
  }

  /// Removes what crashes left, but where somebody makes a snapshot; the caller holds the publication's lock.
  func sweep() throws {
    guard try files.contains(where: SnapshotFile.exists) || !compressed().isEmpty else { return }
    _ = try PublicationLock.withSnapshotLock(of: series, publication, .fail) {
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
