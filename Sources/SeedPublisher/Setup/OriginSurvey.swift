package import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem

/// The tables, views and triggers of a SQLite origin, in the order of their creation.
package struct OriginSurvey: Sendable {
  private(set) var tables: [OriginTable] = []
  private(set) var virtualTables: [SchemaPart] = []
  private(set) var views: [SchemaPart] = []
  private(set) var triggers: [String] = []
  package private(set) var outline = OriginOutline(tables: [:])
  /// The size of the file, or of the server's tables.
  package private(set) var bytes = 0
  /// Parts that SQLite's SQL cannot express.
  private(set) var skipped: [SetupNote] = []

  /// Surveys a database with copies of the origin's tables. `bytes` is the size of the origin's own tables.
  package init(_ connection: Connection, _ outline: OriginOutline, skipped: [SetupNote], bytes: Int) throws {
    try read(connection)
    (self.outline, self.skipped, self.bytes) = (outline, skipped, bytes)
  }

  package init(_ path: String) throws {
    try OriginError.checkIsFile(path)
    bytes = try FileStamp(path)?.size ?? 0
    do {
      let connection = try Connection(path, .origin)
      try connection.transaction(.deferred) { try read(connection) }
    } catch let error as DatabaseError where error.saysDamage {
      // The file is not a database, so the exit status must not be 69, which suggests a retry.
      throw Refusal(.badData, "\(path): expected a SQLite database, found: \(error.message).")
    } catch let error as DatabaseError { throw OriginError.reading(path, error) }
  }

  private mutating func read(_ connection: Connection) throws {
    outline = try OriginOutline(connection)
    let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
      .filter { $0[3] != .null }.map { $0.map(\.text) }
    let list = try connection.rows(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'")
    let kinds = Dictionary(list.map { ($0[0].text, $0[1].text) }) { first, _ in first }
    func names(_ option: Int) -> Set<String> {
      Set(list.filter { $0[option] == .integer(1) }.map(\.[0].text))
    }
    let (withoutRowid, strict) = (names(2), names(3))
    let indexes = Dictionary(grouping: rows.filter { $0[0] == "index" }) { $0[2] }
    // The log's own tables are not data.
    let log = try LogParts(connection)
    for row in rows where !row[1].foldedName.hasPrefix("sqlite_") && !log.owns(row[1]) {
      func part(_ kind: SetupNote.Kind) -> SchemaPart { SchemaPart(kind: kind, name: row[1], sql: row[3]) }
      switch (row[0], kinds[row[1]]) {
      case ("table", "virtual"): virtualTables.append(part(.virtualTable))
      // A virtual table's own storage is not data.
      case ("table", "shadow"): break
      case ("table", _):
        let own = (indexes[row[1]] ?? []).map { SchemaPart(kind: .index, name: $0[1], sql: $0[3]) }
        tables.append(
          try OriginTable(
            part(.table), own, isWithoutRowid: withoutRowid.contains(row[1]),
            isStrict: strict.contains(row[1]), connection))
      case ("view", _): views.append(part(.view))
      case ("trigger", _): triggers.append(row[1])
      default: break
      }
    }
  }
}
