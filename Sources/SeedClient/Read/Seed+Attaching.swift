import Foundation
import SeedDatabase
import SeedFormat

extension Seed {
  private static func attachStatement(_ path: String, as name: String) -> String {
    // Uses a URI, because a plain path would be opened read-write on a read-write connection.
    let uri = "file://\(percentEncoded(path))?mode=ro"
    return "ATTACH DATABASE '\(uri.replacing(scalars: "'", with: "''"))' AS \(quoted(name))"
  }

  /// Attaches the seed, read-only, to the app's own connection. Replaces an older seed with the same name.
  ///
  /// Keep this value while the seed is attached, because it keeps the file on disk. On each element of `files`, attach
  /// the new seed before you release the old one. To detach a seed, execute `DETACH DATABASE seed`.
  ///
  /// - Parameters:
  ///   - handle: A connection from the same SQLite library as this one, opened with `SQLITE_OPEN_URI`, outside a
  ///     transaction and without a running statement on the older seed.
  ///   - name: The schema name in SQL.
  public func attach(to handle: OpaquePointer, as name: String = "seed") throws {
    guard !["main", "temp"].contains(name.lowercased()) else {
      throw SeedError(
        .connection,
        "a seed cannot be attached as \"\(name)\", which SQLite reserves: use another name, such as \"seed\"")
    }
    let connection = Connection(borrowing: handle)
    do {
      let older = connection.file(of: name)
      if older != nil { try connection.execute("DETACH DATABASE \(quoted(name))") }
      do {
        // Without SQLITE_OPEN_URI, SQLite would treat the text as a path in a missing folder "file:" and fail.
        try connection.execute(Self.attachStatement(url.path, as: name))
      } catch {
        if let older { try? connection.execute(Self.attachStatement(older, as: name)) }
        throw error
      }
    } catch {
      throw SeedError(
        .connection,
        "\(url.path) cannot be attached (\(error)): open the connection with "
          + "SQLITE_OPEN_URI, and attach outside a transaction")
    }
  }
}
