import SeedSystem

/// A SQLite file.
package struct SQLitePlace: OriginPlace {
  /// The file.
  package let path: String

  package init(_ path: String) { self.path = path }

  package var text: String { path }
  package var watchedFile: String? { path }

  package func stamp() throws -> (any OriginStamp)? { try SQLiteStamp(path) }

  package func open(waitSeconds: Int) throws -> any Origin {
    try SQLiteOrigin(path, waitSeconds: waitSeconds)
  }

  /// The path without links, as SQLite takes it to find the files beside a database; the path itself where nothing is.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
