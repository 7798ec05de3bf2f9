package enum Paths {
  /// Whether the system accepts the path: not empty, and without NUL, where C would truncate it.
  package static func isUsable(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

  /// Resolves `..` after a folder but not after a symbolic link, from which it leads elsewhere.
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
