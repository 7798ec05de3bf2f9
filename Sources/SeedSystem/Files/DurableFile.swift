/// Files that are either the old or the new after a crash at any point, and last once written. Foundation's atomic
/// writes sync the file but not the folder, so that a power loss may undo the rename.
package enum DurableFile {
  /// Ends the names of files that a crash may leave behind; whoever owns the folder sweeps them.
  package static let temporarySuffix = ".tmp"

  /// The whole content of a file of at most `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try File(path, for: .reading).readAll(limit: limit)
  }

  /// As ``read(_:limit:)``, `nil` where the file is not there.
  package static func readIfPresent(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
    try present { () throws(FileError) in try read(path, limit: limit) }
  }

  /// Up to `count` bytes from a file's start, `nil` where the file is not there.
  package static func start(of path: String, _ count: Int) throws(FileError) -> [UInt8]? {
    try present { () throws(FileError) in try File(path, for: .reading).read(count) }
  }

  private static func present(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> [UInt8]? {
    do {
      return try read()
    } catch  where error.isMissing {
      return nil
    }
  }

  /// Writes beside the destination, syncs, renames, syncs the folder; a failure leaves nothing behind.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(FileError) {
    let temporary = path + temporarySuffix
    do {
      let file = try File(temporary, for: .replacing, mode: mode)
      try file.write(bytes)
      try file.sync()
    } catch {
      unlink(temporary)
      throw error
    }
    try moveIntoPlace(temporary, path)
  }

  /// Replaces a file at once, but does not force it to the disk: for what is made anew where a power loss takes it.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let temporary = path + temporarySuffix
    do {
      try File(temporary, for: .replacing).write(bytes)
      try Folder.rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// The second half of ``write(_:to:mode:)`` for a file that was written and synced elsewhere in the folder.
  package static func moveIntoPlace(_ temporary: String, _ path: String) throws(FileError) {
    do {
      try Folder.rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
    try Folder.sync(Folder.parent(of: path))
  }

  /// Removes what crashes left in a folder.
  package static func sweep(_ folder: String) throws(FileError) {
    for name in try Folder.names(in: folder) where name.hasSuffix(temporarySuffix) {
      try Folder.remove("\(folder)/\(name)")
    }
  }
}
