import SeedDatabase
import SeedFormat

/// Which tables a SELECT reads, views and subqueries included. SQLite's own program for it tells: it opens each table
/// and index by the number of its first page.
struct SQLiteReading {
  /// In lower case.
  private(set) var tables: Set<String> = []
  /// False where it reads what no trigger can see: virtual tables, the schema, another database.
  private(set) var isTraceable = true

  init(_ select: String, _ connection: Connection) throws {
    let owners = try connection.rows(
      "SELECT rootpage, lower(tbl_name) FROM sqlite_schema WHERE rootpage > 0")
    let names = Dictionary(owners.map { ($0[0], $0[1].text) }) { first, _ in first }
    for step in try connection.rows("EXPLAIN \(select)") {
      switch step[1].text {
      case "OpenRead":
        guard let name = names[step[3]], step[4] == .integer(0) else {
          isTraceable = false
          continue
        }
        tables.insert(name)
      case "VOpen", "VFilter": isTraceable = false
      default: continue
      }
    }
  }
}
