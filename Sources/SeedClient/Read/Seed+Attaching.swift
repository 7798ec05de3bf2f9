import Foundation
import SeedDatabase

extension Seed {
  /// The statement that attaches the seed, read-only, to an app's connection opened with `SQLITE_OPEN_URI`.
  ///
  /// ``attach(to:as:)`` also detaches an older seed, and puts it back if the new one cannot be attached.
  public func attachStatement(as name: String = "seed") -> String { Self.attachStatement(url.path, as: name) }

  private static func attachStatement(_ path: String, as name: String) -> String {
    // As a URI, for a plain path would be opened for writing where the connection is.
    let uri = "file://\(percentEncoded(path))?mode=ro"
    return "ATTACH DATABASE '\(uri.replacing("'", with: "''"))' AS \(quoted(name))"
  }

  /// Attaches the seed, read-only, to a connection of the app's own database, in the place of an older seed.
  ///
  /// The app's data can then be joined with the seed's, as in `SELECT … FROM favourite JOIN seed.stop …`, and stays
  /// in its own file. Keep this value for as long as the seed is attached: it keeps the file on the disk. On each
  /// element of `openings` attach the new one before you release the old one.
  ///
  /// - Parameters:
  ///   - handle: A connection of the same copy of SQLite that this library uses, opened with `SQLITE_OPEN_URI`,
  ///     outside of a transaction and without a statement that still reads the older seed.
  ///   - name: The name that SQL knows the seed by.
  public func attach(to handle: OpaquePointer, as name: String = "seed") throws(SeedError) {
    let connection = Connection(borrowing: handle)
    try Self.check(name)
    do {
      let older = connection.file(of: name)
      if older != nil { try connection.execute("DETACH DATABASE \(quoted(name))") }
      do {
        // Without SQLITE_OPEN_URI the text would be a path, in a folder "file:" that does not exist.
        try connection.execute(attachStatement(as: name))
      } catch {
        // Better the older one than none.
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

  /// Detaches a seed.
  public static func detach(from handle: OpaquePointer, as name: String = "seed") throws(SeedError) {
    let connection = Connection(borrowing: handle)
    try check(name)
    guard connection.file(of: name) != nil else {
      throw SeedError(.connection, "no seed is attached as \"\(name)\": attach one first, or give its name")
    }
    do {
      try connection.execute("DETACH DATABASE \(quoted(name))")
    } catch {
      throw SeedError(
        .connection,
        "\"\(name)\" cannot be detached (\(error)): end the transaction first, and finish every statement "
          + "that still reads it")
    }
  }

  /// Each connection has two databases of SQLite's own.
  private static func check(_ name: String) throws(SeedError) {
    guard ["main", "temp"].contains(name.lowercased()) else { return }
    throw SeedError(
      .connection,
      "a seed cannot be attached as \"\(name)\", which SQLite reserves: use another name, such as \"seed\"")
  }

  /// Only what a URI would read as something else is escaped.
  private static func percentEncoded(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
