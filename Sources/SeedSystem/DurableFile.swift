/// Crash-safe file writes: after a crash, a file has either its old or its new content. Foundation's atomic writes do
/// not sync the folder, so a power loss may undo the rename.
package enum DurableFile {
  /// The suffix of temporary files. A crash may leave some behind; the folder's owner removes them.
  package static let temporarySuffix = ".tmp"

  package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try File(path, for: .reading).readAll(limit: limit)
  }

  package static func readIfPresent(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
    try present { () throws(FileError) in try read(path, limit: limit) }
  }

  /// Returns up to `count` bytes from a file's start; `nil` if the file is missing.
  package static func start(of path: String, _ count: Int) throws(FileError) -> [UInt8]? {
    try present { () throws(FileError) in try File(path, for: .reading).read(count) }
  }

  private static func present(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> [UInt8]? {
    do { return try read() } catch  where error.isMissing { return nil }
  }

  /// Writes a temporary file, syncs it, renames it and syncs the folder. Removes the temporary file on failure. The umask
  /// does not change `mode`.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(FileError) {
    try write(bytes, to: path, mode: mode) { $0.setMode(mode) }
  }

  /// Like ``write(_:to:mode:)``, but keeps the file's mode and, if this process has the right, its owner.
  package static func rewrite(_ bytes: [UInt8], to path: String) throws(FileError) {
    let old = try File(path, for: .reading)
    // Until the new file has the old one's rights, only this process's user may read it.
    try write(bytes, to: path, mode: 0o600) { file throws(FileError) in try file.setRights(of: old) }
  }

  private static func write(
    _ bytes: [UInt8], to path: String, mode: mode_t,
    _ prepare: (borrowing File) throws(FileError) -> Void
  ) throws(FileError) {
    let temporary = path + temporarySuffix
    try removingAfterFailure(temporary) { () throws(FileError) in
      let file = try File(temporary, for: .replacing, mode: mode)
      try prepare(file)
      try file.write(bytes)
      try file.sync()
    }
    try moveIntoPlace(temporary, path)
  }

  private static func removingAfterFailure(
    _ temporary: String, _ body: () throws(FileError) -> Void
  ) throws(FileError) {
    do {
      try body()
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Replaces a file atomically but without sync, for files that can be recreated after a power loss. The umask does not
  /// change a given `mode`.
  package static func replace(_ path: String, with bytes: [UInt8], mode: mode_t? = nil) throws(FileError) {
    let temporary = path + temporarySuffix
    try removingAfterFailure(temporary) { () throws(FileError) in
      let file = try File(temporary, for: .replacing)
      if let mode { file.setMode(mode) }
      try file.write(bytes)
      try Folder.rename(temporary, to: path)
    }
  }

  /// Renames a synced temporary file in the same folder and syncs the folder, as ``write(_:to:mode:)`` does. The umask does
  /// not change a given `mode`.
  package static func moveIntoPlace(
    _ temporary: String, _ path: String, mode: mode_t? = nil
  ) throws(FileError) {
    try removingAfterFailure(temporary) { () throws(FileError) in
      if let mode { try File(temporary, for: .reading).setMode(mode) }
      try Folder.rename(temporary, to: path)
    }
    try Folder.sync(Folder.parent(of: path))
  }

  /// Removes temporary files and the journals of temporary databases. Returns an error for each that remains.
  package static func sweep(_ folder: String) throws(FileError) -> [FileError] {
    let suffixes = [temporarySuffix, temporarySuffix + "-journal"]
    let names = try Folder.names(in: folder) { name in suffixes.contains(where: name.hasSuffix) }
    return Folder.remove(names.map { "\(folder)/\($0)" })
  }
}
