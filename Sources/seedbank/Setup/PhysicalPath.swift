import SeedSystem

/// Paths with their links followed: only between such may `..` be written, for the system follows it on the
/// disk.
enum PhysicalPath {
  /// The folder's real place; what is not there yet is taken as it is written.
  static func folder(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    guard path != "/" else { return path }
    return Paths.absolute(name(of: path), from: folder(Paths.folder(of: path)))
  }

  /// The file's real folder with its own name: a link that the operator turns to another file stays one.
  static func file(_ path: String) -> String {
    Paths.absolute(name(of: path), from: folder(Paths.folder(of: path)))
  }

  /// `file` by way of `folder` and as many `..` as it takes, such as `/a/b/../c.sqlite`, where both share
  /// more than the root; else unchanged. Configuration files hold the part behind the folder.
  static func joining(_ file: String, through folder: String) -> String {
    let (from, to) = (folder.split(separator: "/"), file.split(separator: "/"))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    guard shared > 0, shared < from.count else { return file }
    let steps = repeatElement("..", count: from.count - shared).map { Substring($0) }
    return "\(folder)/\((steps + to[shared...]).joined(separator: "/"))"
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
