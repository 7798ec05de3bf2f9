import SeedSystem

/// Paths with resolved links. Only these may contain `..`, because the system resolves it on disk.
package enum PhysicalPath {
  /// The folder's real path; missing parts are kept as written.
  package static func folder(_ path: String) -> String {
    if let real = existing(path) { return real }
    guard path != "/" else { return path }
    return Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// The real folder with the file's own name, because the operator may redirect a link.
  package static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Folder.parent(of: path)))
  }

  /// `file` relative to `folder` with as many `..` as needed, such as `/a/b/../c.sqlite`, if both share more than the
  /// root; otherwise unchanged. Configuration files hold the part behind the folder.
  package static func joining(_ file: String, through folder: String) -> String {
    let (from, to) = (folder.split(separator: "/"), file.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    guard shared > 0, shared < from.count else { return file }
    let steps = repeatElement("..", count: from.count - shared).map { Substring($0) }
    return "\(folder)/\((steps + to[shared...]).joined(separator: "/"))"
  }

  static func existing(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
