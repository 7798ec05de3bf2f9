/// Calls on folders and names.
package enum Folder {
  /// Makes the folder and those above it; one that is there is fine.
  package static func create(_ path: String, mode: mode_t = 0o755) throws(FileError) {
    guard !exists(path) else { return }
    let parent = parent(of: path)
    if parent != path { try create(parent, mode: mode) }
    if mkdir(path, mode) != 0, errno != EEXIST { throw FileError("create the folder", path) }
  }

  /// True where anything has that name.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a folder, sorted; none where the folder is not there.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileError("list", path)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Forces a folder's names to the disk: without it a rename may be undone by a power loss.
  package static func sync(_ path: String) throws(FileError) { try File(path, for: .reading).sync() }

  /// Gives a file a new name; whatever had that name is gone in the same moment.
  package static func rename(_ path: String, to destination: String) throws(FileError) {
    _ = try retrying("rename to \(destination)", path) { systemRename(path, destination) }
  }

  /// Removes a file; one that is not there is fine.
  package static func remove(_ path: String) throws(FileError) {
    if unlink(path) != 0, errno != ENOENT { throw FileError("remove", path) }
  }

  /// Removes a folder with all that is in it; one that is not there is fine.
  package static func removeAll(_ path: String) throws(FileError) {
    for name in try names(in: path) { try removeAny("\(path)/\(name)") }
    if rmdir(path) != 0, errno != ENOENT { throw FileError("remove", path) }
  }

  /// Removes what has that name, be it a file or a folder with all that is in it.
  package static func removeAny(_ path: String) throws(FileError) {
    if isFolder(path) { try removeAll(path) } else { try remove(path) }
  }

  /// False for a link to a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path without its last part.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

private func systemRename(_ path: String, _ destination: String) -> Int32 { rename(path, destination) }
