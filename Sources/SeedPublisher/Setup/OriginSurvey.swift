package import SeedDatabase
import SeedFormat
import SeedPublication

/// Tables, views and triggers of a SQLite origin in the order of their creation.
package struct OriginSurvey: Sendable {
  private(set) var tables: [OriginTable] = []
  private(set) var virtualTables: [OriginPart] = []
  private(set) var shadowTables: [String] = []
  private(set) var views: [OriginPart] = []
  private(set) var triggers: [String] = []
  package private(set) var outline = OriginOutline(tables: [:])
  /// Parts that SQLite's SQL cannot express.
  private(set) var leftOut: [SetupNote] = []

  /// Surveys a database with copies of the origin's tables.
  package init(_ connection: Connection, _ outline: OriginOutline, leftOut: [SetupNote]) throws {
    try read(connection)
    (self.outline, self.leftOut) = (outline, leftOut)
  }

  package init(_ path: String) throws {
    try OriginError.checkIsFile(path)
    do {
      let connection = try Connection(path, .origin)
      try connection.transaction(.deferred) { try read(connection) }
    } catch let error as DatabaseError where error.saysDamage {
      // A retry, which status 69 suggests, would not help: the file is not a database.
      throw Refusal(.badData, "\(path): expected a SQLite database, found: \(error.message).")
    } catch let error as DatabaseError {
      throw OriginError.reading(path, error)
    }
  }

  /// Everything that a view can read, in lower case.
  var names: Set<String> {
    let parts = virtualTables.map(\.name) + views.map(\.name)
    return Set((tables.map(\.name) + shadowTables + parts).map { $0.lowercased() })
  }

  private mutating func read(_ connection: Connection) throws {
    outline = try OriginOutline(connection)
    let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
      .filter { $0[3] != .null }.map { $0.map(\.text) }
    let list = try connection.rows("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'")
    let kinds = Dictionary(list.map { ($0[0].text, $0[1].text) }) { first, _ in first }
    let withoutRowid = Set(list.filter { $0[2] == .integer(1) }.map { $0[0].text })
    let indexes = Dictionary(grouping: rows.filter { $0[0] == "index" }) { $0[2] }
    // The log's own tables are not data.
    let log = try LogParts(connection)
    for row in rows where !row[1].lowercased().hasPrefix("sqlite_") && !log.owns(row[1]) {
      let part = OriginPart(name: row[1], sql: row[3])
      switch (row[0], kinds[part.name]) {
      case ("table", "virtual"): virtualTables.append(part)
      case ("table", "shadow"): shadowTables.append(part.name)
      case ("table", _):
        let own = (indexes[part.name] ?? []).map { OriginPart(name: $0[1], sql: $0[3]) }
        tables.append(
          OriginTable(
            name: part.name, sql: part.sql, indexes: own,
            mixedColumns: try Self.mixedColumns(of: part.name, connection),
            references: try ReferenceSurvey(connection: connection, table: part.name).references(),
            keys: try KeySurvey(
              connection, table: part.name, isWithoutRowid: withoutRowid.contains(part.name))))
      case ("view", _): views.append(part)
      case ("trigger", _): triggers.append(part.name)
      default: break
      }
    }
  }

  /// Finds numeric columns that hold other values in some rows. SQLite accepts them, but a publisher rejects them because
  /// clients read the declared types.
  private static func mixedColumns(of table: String, _ connection: Connection) throws -> [String] {
    let columns = try connection.rows(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", .text(table))
    let doubts = columns.compactMap { column in
      Affinity(declaredType: column[1].text, isStrict: false).misfits(in: column[0].text)
        .map { (name: column[0].text, test: "max(\($0))") }
    }
    guard !doubts.isEmpty else { return [] }
    let tests = doubts.map(\.test).joined(separator: ", ")
    do {
      let row = try connection.rows("SELECT \(tests) FROM \(quoted(table))")[0]
      return zip(doubts, row).filter { $0.1 == .integer(1) }.map(\.0.name)
    } catch let error as DatabaseError where error.message == unreadableTable { return [] }
  }
}

/// SQLite's message about a table WITHOUT ROWID with a key by another program's collation.
private let unreadableTable = "no query solution"

struct OriginPart: Sendable {
  let name: String
  let sql: String
}

struct OriginTable: Sendable {
  let name: String
  let sql: String
  let indexes: [OriginPart]
  let mixedColumns: [String]
  let references: [OriginReference]
  let keys: KeySurvey
}

struct KeySurvey: Sendable {
  /// Primary key columns that are NULL in some row, which SQLite allows except in WITHOUT ROWID tables.
  let nullColumns: [String]
  /// The rowid's name in a SELECT; nil for WITHOUT ROWID tables, and for tables with columns that hide all its names.
  let rowNumber: String?

  private static let rowNumberNames = ["rowid", "_rowid_", "oid"]

  init(_ connection: Connection, table: String, isWithoutRowid: Bool) throws {
    let columns = try connection.rows("SELECT name, pk FROM pragma_table_xinfo(?)", .text(table))
    let names = Set(columns.map { $0[0].text.lowercased() })
    rowNumber = isWithoutRowid ? nil : Self.rowNumberNames.first { !names.contains($0) }
    let key = isWithoutRowid ? [] : columns.filter { $0[1] != .integer(0) }.map { $0[0].text }
    nullColumns = try key.filter { column in
      let sql = "SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IS NULL LIMIT 1"
      return try connection.value(sql) != nil
    }
  }
}
