import SeedSystem

package struct SQLitePlace: OriginPlace {
  package let path: String

  package init(_ path: String) { self.path = path }

  package var text: String { path }
  package var watchedFile: String? { path }

  package func stamp() throws -> (any OriginStamp)? { try SQLiteStamp(path) }

  package func open(waitSeconds: Int) throws -> any Origin {
    try SQLiteOrigin(path, waitSeconds: waitSeconds)
  }

  /// Resolves links like SQLite does for the files beside a database. Returns the path itself if nothing is there.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
