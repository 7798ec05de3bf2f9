import Foundation
import SeedDatabase
import SeedFormat
import Support

/// A folder with a database and files, which the real command imports.
struct ImportFolder {
  let database: String
  private let folder: TemporaryFolder

  /// Creates a database with these tables.
  init(_ schema: String) throws {
    folder = try TemporaryFolder(inMemory: true)
    database = folder("app.sqlite")
    try Connection(database, .creator).execute(schema)
  }

  var path: String { folder.path }

  func callAsFunction(_ name: String) -> String { folder(name) }

  // MARK: Files

  func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    let url = URL(fileURLWithPath: folder(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func write(_ text: String, _ name: String) throws { try write(text.utf8, name) }

  func read(_ name: String) throws -> String { try folder.text(name) }

  func lines(_ name: String) throws -> [String] { try read(name).split(separator: "\n").map(String.init) }

  // MARK: The command and the database

  /// Runs `seedbank import` in the folder, into its database.
  func run(_ arguments: [String]) throws -> ProgramOutcome {
    try SeedbankBinary.run(["import"] + arguments + ["--database", database], in: path)
  }

  /// Runs statements like an app.
  func execute(_ sql: String) throws { try Connection(database, .own).execute(sql) }

  /// The rows of a query, each as one text.
  func rows(_ sql: String) throws -> [String] {
    try Connection(database, .own).rows(sql).map { $0.map(\.description).joined(separator: "|") }
  }
}
