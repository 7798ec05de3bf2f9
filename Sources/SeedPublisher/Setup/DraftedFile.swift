import SeedFormat
package import SeedSystem

/// A file to write, with its path below a folder.
package struct DraftedFile: Sendable {
  package let path: String
  let text: String
}

extension [DraftedFile] {
  func write(below folder: String) throws(FileError) {
    for file in self {
      let path = "\(folder)/\(file.path)"
      try Folder.create(Folder.parent(of: path))
      try DurableFile.write([UInt8](file.text.utf8), to: path)
    }
  }

  /// Creates a folder with these files, completely or not at all.
  package func install(asFolder folder: String) throws(FileError) {
    let (parent, name) = (Folder.parent(of: folder), String(folder.split(separator: "/").last ?? ""))
    // Hidden, so that listings of the parent folder skip it.
    let staging = "\(parent)/.\(name)-\(Epoch.random())\(DurableFile.temporarySuffix)"
    do throws(FileError) {
      try Folder.create(staging)
      try write(below: staging)
      try Folder.syncAll(staging)
      try Folder.rename(staging, to: folder)
    } catch {
      // Reports the first error, even if the cleanup fails too.
      try? Folder.removeAll(staging)
      throw error
    }
    try Folder.sync(parent)
  }
}

extension Folder {
  /// Syncs a folder and all folders below it, so that their names are durable.
  static func syncAll(_ folder: String) throws(FileError) {
    for name in try names(in: folder) where isFolder("\(folder)/\(name)") { try syncAll("\(folder)/\(name)") }
    try sync(folder)
  }
}
