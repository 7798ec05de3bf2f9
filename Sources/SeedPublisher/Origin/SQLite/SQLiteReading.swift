import SeedDatabase
import SeedFormat

/// Finds the tables that a SELECT reads, also through views, from the root pages that EXPLAIN's program opens.
struct SQLiteReading {
  /// In lower case.
  private(set) var tables: Set<String> = []
  /// False if the SELECT reads something without triggers: virtual tables, the schema, another database.
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
