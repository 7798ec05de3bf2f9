package import SeedDatabase
import SeedFormat

/// The tables and triggers that log the keys of changed rows in a SQLite file, whichever program writes to
/// it. Seedbank writes nothing else to an origin, and creates these only at the operator's request.
///
/// AFTER triggers log every changed row, except rows with another key that REPLACE removes: delete triggers
/// do not fire for them. For each unique index besides the key's, a BEFORE trigger logs the conflicting rows.
/// It may also log rows that stay, which costs only a comparison.
package struct SQLiteLogDraft {
  package private(set) var logged: [(table: String, keys: [String])] = []
  /// Tables without a log, each with the reason. Their rows are compared.
  package private(set) var left: [(table: String, reason: String)] = []
  /// Run these in one transaction.
  package private(set) var statements: [String] = []

  /// The number of entries that are kept. A publisher that falls further behind compares all rows.
  static let keptEntries = 1_000_000
  private static let pruningEntries = 4096

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
    // A shared random token distinguishes this log from a recreated one.
    statements.append(
      "UPDATE \(LogParts.registry) SET token = (SELECT token FROM \(LogParts.registry) LIMIT 1)")
  }

  /// Returns the numbers that no table or trigger of the operator uses.
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
    // AUTOINCREMENT would double the cost. Numbers ascend without it because the newest entry is never removed.
    statements.append(
      "CREATE TABLE \(log)(seq INTEGER PRIMARY KEY, witness INTEGER NOT NULL, \(Self.columns(table)))")
    // With this first entry, a log is never empty unless it was emptied by hand.
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

  static func triggers(of table: LoggedTable, _ number: Int) -> [String] {
    let entry = "INSERT INTO \(quoted(LogParts.log(number)))(witness, \(columns(table)))"
    let name = quoted(table.name)
    func values(_ row: String) -> String { table.keys.map { "\(row).\(quoted($0))" }.joined(separator: ", ") }
    // Compares bytes, so that both keys are logged if a collation treats them as equal.
    let moved = table.keys.map { "NEW.\(quoted($0)) COLLATE BINARY IS NOT OLD.\(quoted($0))" }
      .joined(separator: " OR ")
    let plain = [
      trigger(number, "insert", "AFTER INSERT ON \(name)", "\(entry) VALUES (random(), \(values("NEW")))"),
      trigger(number, "delete", "AFTER DELETE ON \(name)", "\(entry) VALUES (random(), \(values("OLD")))"),
      trigger(number, "update", "AFTER UPDATE ON \(name)", "\(entry) VALUES (random(), \(values("OLD")))"),
      // A separate trigger, because a condition in the body costs three times as much.
      trigger(
        number, "move", "AFTER UPDATE ON \(name) WHEN \(moved)",
        "\(entry) VALUES (random(), \(values("NEW")))"),
    ]
    return plain
      + table.evictions.enumerated().flatMap { place, eviction in
        evictionTriggers(of: table, eviction, place, number, entry)
      }
  }

  /// Returns triggers that log rows with equal values in a unique index before REPLACE removes those rows.
  private static func evictionTriggers(
    of table: LoggedTable, _ eviction: LoggedTable.Eviction, _ place: Int, _ number: Int, _ entry: String
  ) -> [String] {
    let name = quoted(table.name)
    let columns = eviction.columns.map { quoted($0.name) }
    let same = eviction.columns.map {
      "there.\(quoted($0.name)) COLLATE \($0.collation) = \(table.newValue(of: $0.name))"
    }
    let other = table.keys.map { "there.\(quoted($0)) COLLATE BINARY IS NOT NEW.\(quoted($0))" }
    // Before an INSERT without a rowid, SQLite reports the rowid as -1, so a row -1 may be another row.
    let unset = table.isNumbered ? ["NEW.\(quoted(table.keys[0])) IS -1"] : []
    let keys = table.keys.map { "there.\(quoted($0))" }.joined(separator: ", ")
    let update = eviction.followsAnyUpdate ? "UPDATE" : "UPDATE OF \(columns.joined(separator: ", "))"
    return [("insert", "INSERT", other + unset), ("update", update, other)].map { kind, write, other in
      let rows =
        "FROM \(name) AS there WHERE \(same.joined(separator: " AND ")) AND (\(other.joined(separator: " OR ")))"
      // Usually there is no conflict, and a false condition is cheaper than a body that finds no rows.
      return trigger(
        number, "\(kind)_\(place)", "BEFORE \(write) ON \(name) WHEN EXISTS (SELECT 1 \(rows))",
        "\(entry) SELECT random(), \(keys) \(rows)")
    }
  }

  private static func trigger(_ number: Int, _ kind: String, _ moment: String, _ body: String) -> String {
    "CREATE TRIGGER \(quoted(LogParts.trigger(number, kind))) \(moment) BEGIN \(body); END"
  }

  package static func removal(_ connection: Connection) throws -> [String] {
    let parts = try LogParts(connection)
    return parts.triggers.map { "DROP TRIGGER \(quoted($0))" }
      + parts.tables.map { "DROP TABLE \(quoted($0))" }
  }
}

struct LoggedTable {
  let name: String
  /// The columns that identify a row, or the rowid if the table has no key.
  private(set) var keys: [String] = []
  /// Whether the key is the rowid, which SQLite may choose.
  private(set) var isNumbered = false
  private(set) var evictions: [Eviction] = []
  private(set) var obstacle: String?
  /// The SQL defaults of NOT NULL columns. REPLACE substitutes them for NULL after the triggers have run.
  private var defaults: [String: String] = [:]
  private var generated: Set<String> = []

  struct Eviction {
    var columns: [(name: String, collation: String)]
    /// Whether every UPDATE must fire the trigger. UPDATE OF cannot name the rowid, and ignores generated columns.
    var followsAnyUpdate = false
  }

  /// Returns the SQL, for use in a trigger, of the value that REPLACE compares.
  func newValue(of column: String) -> String {
    let value = "NEW.\(quoted(column))"
    return defaults[column].map { "coalesce(\(value), (\($0)))" } ?? value
  }

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
      "SELECT name, pk, upper(type), hidden, \"notnull\", dflt_value FROM pragma_table_xinfo(?) WHERE hidden <> 1",
      .text(name))
    for column in columns {
      if column[3] != .integer(0) { generated.insert(column[0].text) }
      if column[4] == .integer(1), case .text(let sql) = column[5] { defaults[column[0].text] = literal(sql) }
    }
    let rowid = RowidName.free(besides: columns.map(\.[0].text))
    keys = columns.filter { $0[1] != .integer(0) }.sorted { ($0[1].number ?? 0) < ($1[1].number ?? 0) }
      .map(\.[0].text)
    isNumbered =
      keys.isEmpty
      || keys.count == 1 && columns.contains { $0[0].text == keys[0] && $0[2] == .text("INTEGER") }
    if keys.isEmpty {
      guard let rowid else {
        obstacle = "it has no key, and its columns hide the rowid"
        return
      }
      keys = [rowid]
    } else if hasRowid, !isNumbered {
      guard let rowid else {
        obstacle = "its columns hide the rowid, so REPLACE could remove a row unnoticed"
        return
      }
      evictions = [Eviction(columns: [(rowid, "BINARY")], followsAnyUpdate: true)]
    }
    try readIndexes(connection)
  }

  /// Treats partial indexes as complete, which only logs more rows.
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
          "its unique index \(index[0].text) is over an expression, so REPLACE could remove a row unnoticed"
        return
      }
      // Rows with an equal key are logged anyway.
      let isKey = index[1].text == "pk" && columns.allSatisfy { $0.collation == "BINARY" }
      guard !isKey else { continue }
      let isGenerated = columns.contains { generated.contains($0.name) }
      evictions.append(Eviction(columns: columns, followsAnyUpdate: isGenerated))
    }
  }
}

/// Returns the SQL of a column's default. SQLite treats a default in double quotation marks as a string.
private func literal(_ sql: String) -> String {
  let scalars = sql.unicodeScalars
  guard scalars.first == "\"", scalars.last == "\"", scalars.count > 1 else { return sql }
  let text = Substring(scalars.dropFirst().dropLast()).replacing(scalars: "\"\"", with: "\"")
  return SeedValue.text(text).literal
}
