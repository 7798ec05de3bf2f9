package import SeedDatabase
import SeedFormat

/// The triggers and tables with which a SQLite file notes the keys of the rows that are written, whoever writes them. It
/// is the only thing that is ever written to an origin, and only where its operator asks for it.
///
/// An AFTER trigger sees each row that is inserted, changed or deleted, except those that REPLACE evicts through another
/// unique index: the trigger for deletes does not fire for them. So a BEFORE trigger for each such index notes the rows
/// that are in the way. It may note rows that stay; that costs a comparison of that row and no more.
package struct SQLiteLogDraft {
  /// Tables whose writers are noted, with the names of their key's columns.
  package private(set) var logged: [(table: String, keys: [String])] = []
  /// Tables that are compared as before, each with the reason.
  package private(set) var left: [(table: String, reason: String)] = []
  /// The statements, to be run in one transaction.
  package private(set) var statements: [String] = []

  /// Entries of a log that are kept; a publisher that was away for more compares everything.
  static let keptEntries = 1_000_000
  /// Entries between two removals of old ones.
  private static let pruningEntries = 4096

  /// A log for every table of the file that can have one.
  package init(_ connection: Connection) throws {
    statements.append(
      "CREATE TABLE \(LogParts.registry)(number INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, keys TEXT NOT NULL, "
        + "token BLOB NOT NULL)")
    var numbers = try Self.freeNumbers(connection)
    for table in try LoggedTable.all(in: connection) {
      if let reason = table.obstacle {
        left.append((table.name, reason))
      } else if let number = numbers.next() {
        add(table, number)
      }
    }
    // One token for all, so that a log that is made again is another one.
    statements.append(
      "UPDATE \(LogParts.registry) SET token = (SELECT token FROM \(LogParts.registry) LIMIT 1)")
  }

  /// Those of which the operator has no table and no trigger.
  private static func freeNumbers(_ connection: Connection) throws -> some IteratorProtocol<Int> {
    let names = try connection.rows("SELECT lower(name) FROM sqlite_schema").map(\.[0].text)
    return (1...).lazy.filter { number in
      let log = LogParts.log(number)
      return !names.contains { $0 == log || $0.hasPrefix("\(log)_") }
    }.makeIterator()
  }

  private mutating func add(_ table: LoggedTable, _ number: Int) {
    logged.append((table.name, table.keys))
    let log = quoted(LogParts.log(number))
    let keys = JSONValue(strings: table.keys)
    statements.append(
      "INSERT INTO \(LogParts.registry) VALUES (\(number), \(SeedValue.text(table.name).literal), "
        + "\(SeedValue.text(String(decoding: keys.bytes, as: UTF8.self)).literal), randomblob(16))")
    // Not AUTOINCREMENT, which costs twice as much: the newest entry is never removed, so numbers rise all the same.
    statements.append(
      "CREATE TABLE \(log)(seq INTEGER PRIMARY KEY, witness INTEGER NOT NULL, \(Self.columns(table)))")
    // Never empty: a log that is was emptied by somebody, and nobody knows what went with it.
    statements.append("INSERT INTO \(log)(witness) VALUES (random())")
    statements += Self.triggers(of: table, number)
    statements.append(
      Self.trigger(
        number, "prune", "AFTER INSERT ON \(log) WHEN NEW.seq % \(Self.pruningEntries) = 0",
        "DELETE FROM \(log) WHERE seq <= NEW.seq - \(Self.keptEntries)"))
  }

  private static func columns(_ table: LoggedTable) -> String {
    table.keys.indices.map { "k\($0)" }.joined(separator: ", ")
  }

  /// The triggers that note a table's writers; as they stand in the file's schema, too.
  static func triggers(of table: LoggedTable, _ number: Int) -> [String] {
    let entry = "INSERT INTO \(quoted(LogParts.log(number)))(witness, \(columns(table)))"
    let name = quoted(table.name)
    func values(_ row: String) -> String { table.keys.map { "\(row).\(quoted($0))" }.joined(separator: ", ") }
    // Compared as bytes: where a collation takes two keys for equal, both are noted.
    let moved = table.keys.map { "NEW.\(quoted($0)) COLLATE BINARY IS NOT OLD.\(quoted($0))" }
      .joined(separator: " OR ")
    let plain = [
      trigger(number, "insert", "AFTER INSERT ON \(name)", "\(entry) VALUES (random(), \(values("NEW")))"),
      trigger(number, "delete", "AFTER DELETE ON \(name)", "\(entry) VALUES (random(), \(values("OLD")))"),
      trigger(number, "update", "AFTER UPDATE ON \(name)", "\(entry) VALUES (random(), \(values("OLD")))"),
      // A trigger of its own: as a condition in the body it would cost three times as much.
      trigger(
        number, "move", "AFTER UPDATE ON \(name) WHEN \(moved)",
        "\(entry) VALUES (random(), \(values("NEW")))"),
    ]
    return plain
      + table.evictions.enumerated().flatMap { place, eviction in
        evictionTriggers(of: table, eviction, place, number, entry)
      }
  }

  /// A row that is about to be inserted or changed meets those with the same values in a unique index.
  private static func evictionTriggers(
    of table: LoggedTable, _ eviction: LoggedTable.Eviction, _ place: Int, _ number: Int, _ entry: String
  ) -> [String] {
    let name = quoted(table.name)
    let columns = eviction.columns.map { quoted($0.name) }
    let same = eviction.columns.map {
      "there.\(quoted($0.name)) COLLATE \($0.collation) = NEW.\(quoted($0.name))"
    }
    let other = table.keys.map { "there.\(quoted($0)) COLLATE BINARY IS NOT NEW.\(quoted($0))" }
    let keys = table.keys.map { "there.\(quoted($0))" }.joined(separator: ", ")
    let rows =
      "FROM \(name) AS there WHERE \(same.joined(separator: " AND ")) AND (\(other.joined(separator: " OR ")))"
    let body = "\(entry) SELECT random(), \(keys) \(rows)"
    // Mostly there is none, and a condition that does not hold is cheaper than a body that finds nothing.
    let condition = "WHEN EXISTS (SELECT 1 \(rows))"
    // The rowid is no column that UPDATE OF could name.
    let update = eviction.isRowid ? "UPDATE" : "UPDATE OF \(columns.joined(separator: ", "))"
    return [
      trigger(number, "insert_\(place)", "BEFORE INSERT ON \(name) \(condition)", body),
      trigger(number, "update_\(place)", "BEFORE \(update) ON \(name) \(condition)", body),
    ]
  }

  private static func trigger(_ number: Int, _ kind: String, _ moment: String, _ body: String) -> String {
    "CREATE TRIGGER \(quoted(LogParts.trigger(number, kind))) \(moment) BEGIN \(body); END"
  }

  /// The statements that take everything away again; none where nothing is there.
  package static func removal(_ connection: Connection) throws -> [String] {
    let parts = try LogParts(connection)
    return parts.triggers.map { "DROP TRIGGER \(quoted($0))" }
      + parts.tables.map { "DROP TABLE \(quoted($0))" }
  }
}

/// A table of an operator's file, as far as its log needs to know it.
struct LoggedTable {
  let name: String
  /// The columns that name a row; the rowid where the table has no key of its own.
  private(set) var keys: [String] = []
  private(set) var evictions: [Eviction] = []
  /// Why it can have no log.
  private(set) var obstacle: String?

  /// A unique index through which REPLACE removes a row whose key is not written.
  struct Eviction {
    var columns: [(name: String, collation: String)]
    var isRowid = false
  }

  /// All of the file, besides those of a log.
  static func all(in connection: Connection) throws -> [LoggedTable] {
    let parts = try LogParts(connection)
    return try all(in: connection, "").filter { !parts.owns($0.name) }
  }

  private static func all(in connection: Connection, _ condition: String) throws -> [LoggedTable] {
    let tables = try connection.rows(
      """
      SELECT list.name, list.type, list.wr FROM pragma_table_list AS list JOIN sqlite_schema AS object USING (name)
      WHERE list.schema = 'main' AND list.type IN ('table', 'virtual') AND object.type = 'table'
      AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \(condition)
      ORDER BY object.rowid
      """)
    return try tables.map { row in
      try LoggedTable(
        row[0].text, isVirtual: row[1].text == "virtual", hasRowid: row[2] == .integer(0), connection)
    }
  }

  /// The table of that name, as it is now; `nil` where there is none.
  static func named(_ name: String, in connection: Connection) throws -> LoggedTable? {
    try all(in: connection, "AND list.name = \(SeedValue.text(name).literal)").first
  }

  private init(_ name: String, isVirtual: Bool, hasRowid: Bool, _ connection: Connection) throws {
    self.name = name
    guard !isVirtual else {
      obstacle = "it is a virtual table, which has no triggers"
      return
    }
    let columns = try connection.rows(
      "SELECT name, pk, upper(type) FROM pragma_table_xinfo(?) WHERE hidden <> 1", .text(name))
    let names = Set(columns.map { $0[0].text.lowercased() })
    let rowid = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    keys = columns.filter { $0[1] != .integer(0) }.sorted { Self.number($0[1]) < Self.number($1[1]) }.map {
      $0[0].text
    }
    let isNumbered =
      keys.count == 1 && columns.contains { $0[0].text == keys[0] && $0[2] == .text("INTEGER") }
    if keys.isEmpty {
      guard let rowid else {
        obstacle = "it has no key, and its columns hide the rowid"
        return
      }
      keys = [rowid]
    } else if hasRowid, !isNumbered {
      guard let rowid else {
        obstacle = "its columns hide the rowid, by which REPLACE could remove a row unseen"
        return
      }
      evictions = [Eviction(columns: [(rowid, "BINARY")], isRowid: true)]
    }
    try readIndexes(connection)
  }

  private static func number(_ value: SeedValue) -> Int64 {
    if case .integer(let number) = value { number } else { 0 }
  }

  /// Partial indexes count as whole ones: more rows are noted than need be.
  private mutating func readIndexes(_ connection: Connection) throws {
    for index in try connection.rows(
      "SELECT name, origin FROM pragma_index_list(?) WHERE \"unique\"", .text(name))
    {
      let parts = try connection.rows(
        "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", .text(index[0].text))
      let columns = parts.compactMap { part -> (name: String, collation: String)? in
        if case .text(let column) = part[0] { (column, part[1].text) } else { nil }
      }
      guard columns.count == parts.count else {
        obstacle =
          "its unique index \(index[0].text) is over an expression, and REPLACE could remove a row unseen"
        return
      }
      // Rows with the very same key are noted anyway.
      let isKey = index[1].text == "pk" && columns.allSatisfy { $0.collation == "BINARY" }
      if !isKey { evictions.append(Eviction(columns: columns)) }
    }
  }
}
