package enum Folder {
  /// Creates a folder if it is missing. The umask removes no rights of `mode`, as in ``DurableFile/write(_:to:mode:)``.
  package static func create(_ path: String, mode: mode_t = 0o755) throws(FileError) {
    guard !exists(path) else { return }
    let parent = parent(of: path)
    if parent != path { try create(parent, mode: mode) }
    if mkdir(path, mode) == 0 {
      var status = stat()
      // Changes the mode only if the umask removed rights, because a change may clear the set-group-ID bit
      // that the folder has inherited from its parent.
      if stat(path, &status) == 0, status.st_mode & mode != mode { chmod(path, status.st_mode | mode) }
    } else if errno != EEXIST {
      throw FileError("create the folder", path)
    }
  }

  /// Creates a folder that only its owner can access; if it already exists, removes other users' access.
  package static func createPrivate(_ path: String) throws(FileError) {
    try create(parent(of: path))
    try create(path, mode: 0o700)
    try File(path, for: .reading).closeToOthers()
  }

  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  package static func names(
    in path: String, where isIncluded: (String) -> Bool = { _ in true }
  ) throws(FileError) -> [String] {
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
      if name != ".", name != "..", isIncluded(name) { names.append(name) }
    }
    return names.sorted()
  }

  /// Syncs a folder's names: otherwise a power loss may undo a rename.
  package static func sync(_ path: String) throws(FileError) { try File(path, for: .reading).sync() }

  package static func rename(_ path: String, to destination: String) throws(FileError) {
    _ = try retrying("rename to \(destination)", path) { SeedSystem.rename(path, destination) }
  }

  /// Removes a file; no-op if it is missing.
  package static func remove(_ path: String) throws(FileError) {
    if unlink(path) != 0, errno != ENOENT { throw FileError("remove", path) }
  }

  /// Removes each file. Returns an error for each that remains.
  package static func remove(
    _ paths: [String], by remove: (String) throws(FileError) -> Void = Folder.remove
  ) -> [FileError] {
    paths.compactMap { path in
      do throws(FileError) {
        try remove(path)
        return nil
      } catch { return error }
    }
  }

  /// Removes a folder with its contents; no-op if it is missing.
  package static func removeAll(_ path: String) throws(FileError) {
    for name in try names(in: path) { try removeAny("\(path)/\(name)") }
    if rmdir(path) != 0, errno != ENOENT { throw FileError("remove", path) }
  }

  private static let attempts = 1000

  /// Removes a folder in which other threads may still create files. Retries, and ignores errors.
  package static func removeAllInUse(_ path: String) {
    for _ in 0..<attempts where exists(path) { try? removeAll(path) }
  }

  package static func removeAny(_ path: String) throws(FileError) {
    if isFolder(path) { try removeAll(path) } else { try remove(path) }
  }

  /// Returns the size in bytes of a file, or of all files in a folder. Skips files that are removed meanwhile.
  package static func bytes(of path: String) throws(FileError) -> Int {
    guard isFolder(path) else { return try FileStamp(path)?.size ?? 0 }
    var sum = 0
    for name in try names(in: path) { sum += try bytes(of: "\(path)/\(name)") }
    return sum
  }

  /// False for a symbolic link to a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Also true for a symbolic link to a folder.
  package static func leadsToFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension String {
  /// Whether the text matches a shell pattern: `*` matches any run of bytes, `?` any byte and `[…]` one of those
  /// listed. None of them matches a slash. A backslash is literal.
  package func matches(shellPattern pattern: String) -> Bool {
    // The C library would stop at a NUL.
    !utf8.contains(0) && !pattern.utf8.contains(0) && fnmatch(pattern, self, FNM_PATHNAME | FNM_NOESCAPE) == 0
  }
}

package enum Paths {
  /// Whether the system accepts the path: not empty, and without NUL, where C would truncate it.
  package static func isUsable(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

  /// Resolves `..` after a folder, but not after a symbolic link, for which `..` means the parent of the link's target.
  package static func absolute(
    _ path: String, from directory: String, isFolder: (String) -> Bool = Folder.isFolder
  ) -> String {
    let whole = path.hasPrefix("/") ? path : "\(directory)/\(path)"
    var names: [Substring] = []
    for name in whole.split(separator: "/") where name != "." {
      let isBack = name == ".." && names.last != ".." && isFolder("/" + names.joined(separator: "/"))
      if isBack { names = names.dropLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }

  package static func relative(_ path: String, to directory: String) -> String {
    guard path != directory else { return "." }
    let prefix = directory.hasSuffix("/") ? directory : "\(directory)/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }
}
