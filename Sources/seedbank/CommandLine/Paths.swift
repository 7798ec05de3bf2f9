/// Paths as text. Nothing here looks at the disk, so links keep their meaning: `..` stays as it is.
enum Paths {
  /// Whether the system could take it: not empty, and without the NUL at which C would cut it off.
  static func isUsable(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

  static func absolute(_ path: String, from directory: String) -> String {
    let whole = path.hasPrefix("/") ? path : "\(directory)/\(path)"
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  /// As a file in `directory` would name it: relative where it lies below.
  static func relative(_ path: String, to directory: String) -> String {
    guard path != directory else { return "." }
    let prefix = directory.hasSuffix("/") ? directory : "\(directory)/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }
}
