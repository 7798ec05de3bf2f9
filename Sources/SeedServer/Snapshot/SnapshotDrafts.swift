import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// A compressed snapshot under a name that only its maker knows.
struct SnapshotDraft {
  let path: String
  let object: PublishedObject
}

/// The files of snapshots that are being made, of one series.
///
/// They are written while publish steps go on, so their names are not those of files that every step sweeps. They
/// belong to whoever holds the lock of the series' snapshots, and those of a founding one to whoever holds the
/// publication's.
struct SnapshotDrafts {
  /// Ends the names of drafts among the published objects.
  static let suffix = ".draft"

  private let publication: PublicationDirectory
  private let series: Series
  private let stateFolder: String
  private let isFounding: Bool

  init(_ publication: PublicationDirectory, _ series: Series, _ stateFolder: String, isFounding: Bool = false)
  {
    self.publication = publication
    self.series = series
    self.stateFolder = stateFolder
    self.isFounding = isFounding
  }

  /// The snapshot before it is compressed.
  var file: String { file(isFounding: isFounding) }

  private func file(isFounding: Bool) -> String {
    "\(stateFolder)/\(series.roleName)\(isFounding ? ".new" : "").snapshot"
  }

  private var files: [String] { [file(isFounding: true), file(isFounding: false)] }

  private var folder: String { "\(publication.path)/targets/\(series.targetPrefix)" }

  /// Where the compressed one is written, beside the objects that it will be among.
  func path(_ version: Version, _ encoding: ContentEncoding) throws(FileError) -> String {
    try Folder.create(folder)
    return "\(folder)snapshot-\(version)-\(encoding.rawValue)\(Self.suffix)"
  }

  /// Removes what crashes left; the caller holds the publication's lock, and where somebody is at work nothing is
  /// touched.
  func sweep() throws {
    guard try isAnythingThere() else { return }
    _ = try PublicationLock.holdSnapshots(of: series, publication, .refusing) { try remove() }
  }

  private func isAnythingThere() throws(FileError) -> Bool {
    if files.contains(where: SnapshotMaker.exists) { return true }
    return try compressed().isEmpty == false
  }

  private func compressed() throws(FileError) -> [String] {
    try Folder.names(in: folder).filter { $0.hasSuffix(Self.suffix) }
  }

  private func remove() throws(FileError) {
    for file in files { try SnapshotMaker.remove(file) }
    for name in try compressed() { try Folder.remove(folder + name) }
  }
}
