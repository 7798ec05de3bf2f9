import Foundation
import SeedDatabase

extension Seed {
  /// The statement that attaches the seed, read-only, to a connection of the app's own that was opened with
  /// `SQLITE_OPEN_URI`.
  ///
  /// ``attach(to:as:)`` does more: it also lets go of an older seed, and checks what came of it.
  public func attachStatement(as name: String = "seed") -> String {
    // As a URI, for a plain path would be opened for writing where the connection is.
    let uri = "file://\(Self.percentEncoded(url.path))?mode=ro"
    return "ATTACH DATABASE '\(uri.replacing("'", with: "''"))' AS \(quoted(name))"
  }

  /// Attaches the seed, read-only, to a connection of the app's own database, in the place of an older seed.
  ///
  /// The app's data then can be joined with the seed's, as in `SELECT … FROM favourite JOIN seed.stop …`, and stays
  /// in its own file. Keep this value for as long as the seed is attached: it is the lease on the file. On each
  /// element of `openings` attach the new one, and only then let the old one go.
  ///
  /// - Parameters:
  ///   - handle: A connection of the same copy of SQLite that this library uses, opened with `SQLITE_OPEN_URI`,
  ///     outside of a transaction and without a statement that still reads the older seed.
  ///   - name: The name that SQL knows the seed by.
  public func attach(to handle: OpaquePointer, as name: String = "seed") throws(SeedError) {
    let connection = Connection(borrowing: handle)
    do {
      if connection.file(of: name) != nil { try connection.execute("DETACH DATABASE \(quoted(name))") }
      // Without SQLITE_OPEN_URI the text would be a path, in a folder "file:" that does not exist.
      try connection.execute(attachStatement(as: name))
    } catch {
      throw SeedError(
        .connection,
        "\(url.path) cannot be attached (\(error)): the connection must be opened with "
          + "SQLITE_OPEN_URI, and be outside of a transaction")
    }
  }

  /// Lets an attached seed go.
  public static func detach(from handle: OpaquePointer, as name: String = "seed") throws(SeedError) {
    try translating { try Connection(borrowing: handle).execute("DETACH DATABASE \(quoted(name))") }
  }

  /// Only what a URI would read as something else is escaped.
  private static func percentEncoded(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
