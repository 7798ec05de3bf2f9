import SeedDatabase
import SeedFormat
import SeedSystem

/// Where a bundle is to stand: nothing else is ever replaced by one.
struct BundlePlace {
  let directory: String
  let series: Series

  /// Where the next one is made: beside the place, for a rename cannot leave the volume.
  var draft: String { directory + DurableFile.temporarySuffix }

  /// Where what stood here goes until the draft's folder is removed.
  private var former: String { "\(draft)/former" }

  private static let ownNames: Set<String> = [
    BundleLayout.rootName, BundleLayout.metadataName, BundleLayout.targetsName,
  ]

  /// Throws unless the place is free, or holds a bundle of the same series.
  func check() throws {
    guard Folder.exists(directory), try !Folder.names(in: directory).isEmpty else { return }
    guard try isBundle() else {
      throw SeedError(
        .io, "\(directory) holds something else than a bundle of \(series): name a new folder, or remove it")
    }
  }

  /// Puts a finished bundle here, synced. Of two renames a kill can leave the first one: then the place is empty,
  /// and never holds a part of one.
  func take(_ finished: String) throws {
    try syncAll(finished)
    if Folder.exists(directory) { try Folder.rename(directory, to: former) }
    try Folder.rename(finished, to: directory)
    try Folder.sync(Folder.parent(of: directory))
  }

  private func isBundle() throws -> Bool {
    guard Folder.isFolder(directory), Set(try Folder.names(in: directory)).isSubset(of: Self.ownNames) else {
      return false
    }
    let role = ".\(series.roleName).json"
    return try Folder.names(in: BundleLayout(directory: directory).metadata).contains { $0.hasSuffix(role) }
  }

  private func syncAll(_ path: String) throws {
    for name in try Folder.names(in: path) {
      let inner = "\(path)/\(name)"
      if Folder.isFolder(inner) { try syncAll(inner) } else { try Folder.sync(inner) }
    }
    try Folder.sync(path)
  }
}
