import SeedDatabase
import SeedFormat

/// Tables that committed batches changed, and whose references and search tables are not checked yet. The database
/// lists them until an import has checked them, because batches may be completed by an import without batches.
struct UncheckedTables {
  private let connection: Connection

  private static let list = "main.\(ReservedTable.unchecked)"

  init(_ connection: Connection) { self.connection = connection }

  /// Must be called in the transaction that changed the tables.
  func add(_ tables: [String]) throws {
    guard !tables.isEmpty else { return }
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(Self.list)(name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID")
    for table in tables {
      try connection.execute("INSERT OR IGNORE INTO \(Self.list) VALUES (?)", .text(table))
    }
  }

  var names: [String] {
    get throws {
      let name = ReservedTable.unchecked
      let found = try connection.rows("SELECT 1 FROM main.sqlite_schema WHERE name = ?", .text(name))
      guard !found.isEmpty else { return [] }
      return try connection.rows("SELECT name FROM \(Self.list)").map(\.[0].text)
    }
  }

  /// Removes checked tables, and the list with its last table.
  func remove(_ tables: Set<String>) throws {
    let unchecked = try names
    for table in tables.intersection(unchecked) {
      try connection.execute("DELETE FROM \(Self.list) WHERE name = ?", .text(table))
    }
    if !unchecked.isEmpty, tables.isSuperset(of: unchecked) {
      try connection.execute("DROP TABLE \(Self.list)")
    }
  }
}
