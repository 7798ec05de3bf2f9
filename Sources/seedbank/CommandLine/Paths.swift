import SeedSystem

import class Foundation.FileManager

/// Paths as text.
enum Paths {
  /// How the paths of folders begin that are made for a command's own use.
  static var scratchPrefix: String { scratchFolder + "/seedbank-scratch-" }

  /// What `TMPDIR` names, else the system's folder for such files.
  static var scratchFolder: String { FileManager.default.temporaryDirectory.path }

  /// Whether the system could take it: not empty, and without the NUL at which C would cut it off.
  static func isUsable(_ path: String) -> Bool { !path.isEmpty && !path.utf8.contains(0) }

  /// Without `..` where the name before it is a folder: behind a link it stays, for it leads elsewhere.
  static func absolute(
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

  /// As a file in `directory` would name it: relative where it lies below.
  static func relative(_ path: String, to directory: String) -> String {
    guard path != directory else { return "." }
    let prefix = directory.hasSuffix("/") ? directory : "\(directory)/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }
}
