import SeedDatabase
import SeedFormat
import SeedSystem

/// The log that triggers write; see ``SQLiteLogDraft``. SQLite has a single writer, so entries are in commit order.
final class SQLiteLog: OriginLog {
  struct Source {
    let number: Int
    let table: String
    let keys: [String]

    var log: String { quoted(LogParts.log(number)) }
  }

  private let connection: Connection
  private let fitter: AffinityFitter
  private let file: String
  private let token: String
  private let sources: [Source]
  let gaps: [String]
  /// For each client table, the SELECT in which rows are looked up by key.
  private var found: [String: String] = [:]

  /// The maximum number of keys. Above it, a comparison of all rows is cheaper, or the keys would take too much memory.
  static let mostKeys = 100_000

  init?(_ connection: Connection, _ fitter: AffinityFitter, file: String) throws {
    let registry = LogParts.registry
    guard try LogParts(connection).hasRegistry else { return nil }
    let rows = try connection.rows(
      "SELECT number, source, keys, lower(hex(token)) FROM \(registry) ORDER BY number")
    (self.connection, self.fitter, self.file) = (connection, fitter, file)
    token = rows.first?[3].text ?? ""
    let all = try rows.map { row in
      let keys = try JSONValue(parsing: Array(row[2].text.utf8)).elements ?? []
      guard let number = row[0].number else { throw NotASeed("\(registry) is damaged") }
      return Source(number: number, table: row[1].text, keys: keys.compactMap(\.string))
    }
    let triggers = Set(
      try connection.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").map(\.[0].text))
    let watched = try all.filter { try Self.isWatched($0, by: triggers, connection) }
    sources = watched
    gaps = all.map(\.table).filter { table in !watched.contains { $0.table == table } }
  }

  /// Whether the table has the logged key and all triggers of its log. A table that was recreated has none.
  private static func isWatched(
    _ source: Source, by triggers: Set<String>, _ connection: Connection
  ) throws -> Bool {
    guard let table = try LoggedTable.named(source.table, in: connection), table.obstacle == nil,
      table.keys == source.keys
    else { return false }
    return triggers.isSuperset(of: SQLiteLogDraft.triggers(of: table, source.number))
  }

  func cursor() throws -> OriginCursor {
    let marks = try sources.map { source in
      let mark = try mark(of: source)
      return JSONMember("\(source.number)", [JSONValue(mark.number), JSONValue(mark.witness)])
    }
    return OriginCursor(
      ["file": .string(file), "schema": try schemaNumber(), "token": .string(token), "logs": .object(marks)])
  }

  /// Returns a number that changes with VACUUM and with any change to tables, indexes, views or triggers.
  private func schemaNumber() throws -> JSONValue {
    .integer(try connection.integer("PRAGMA schema_version") ?? 0)
  }

  /// A log's newest entry; zeros if the log is empty. The random witness proves that the entry was not replaced.
  private typealias Mark = (number: Int, witness: Int)

  private static func mark(_ numbers: [Int]?) -> Mark? {
    numbers.flatMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
  }

  private func mark(of source: Source) throws -> Mark {
    let rows = try connection.rows("SELECT seq, witness FROM \(source.log) ORDER BY seq DESC LIMIT 1")
    return Self.mark(rows.first?.compactMap(\.number)) ?? (0, 0)
  }

  /// Also detects changes to tables, views and triggers, because the cursor contains the schema number.
  func isUntouched(since cursor: OriginCursor) throws -> Bool {
    try self.cursor() == cursor && sources.allSatisfy { try mark(of: $0).number > 0 }
  }

  func touched(since cursor: OriginCursor, _ plan: SeriesPlan) throws -> LogAnswer {
    let json = cursor.json
    guard json["file"]?.string == file else { return .doubt(.otherFile) }
    guard json["token"]?.string == token else { return .doubt(.otherLog) }
    guard json["schema"] == (try schemaNumber()) else { return .doubt(.otherSchema) }
    var marks: [String: Mark] = [:]
    for source in sources {
      let numbers = json["logs"]?["\(source.number)"]?.elements?.compactMap(\.integer)
      guard let mark = Self.mark(numbers) else { return .doubt(.otherLog) }
      if let doubt = try doubt(of: mark, source) { return .doubt(doubt) }
      marks[source.table.foldedName] = mark
    }
    return .tables(try touched(since: marks, plan))
  }

  private func doubt(of mark: Mark, _ source: Source) throws -> LogDoubt? {
    // A log is empty only if its entries were deleted by hand.
    guard mark.number > 0 else { return .edited }
    let row = try connection.rows(
      "SELECT seq, witness FROM \(source.log) WHERE seq = ?", .integer(Int64(mark.number))
    ).first
    if let found = Self.mark(row?.compactMap(\.number)), found == mark { return nil }
    let first = try connection.integer("SELECT min(seq) FROM \(source.log)") ?? 0
    return row == nil && first > mark.number ? .pruned : .edited
  }

  private func touched(since marks: [String: Mark], _ plan: SeriesPlan) throws -> [String: Touched] {
    let written = try Set(
      sources.filter { source in
        let number = marks[source.table.foldedName]?.number ?? 0
        return try connection.integer(
          "SELECT 1 FROM \(source.log) WHERE seq > ? LIMIT 1", .integer(Int64(number))) != nil
      }.map { $0.table.foldedName })
    return try plan.schema.tables.reduce(into: [:]) { touched, table in
      touched[table.name] = try self.touched(table, plan.projection(table), written, marks)
    }
  }

  private func touched(
    _ table: TableSchema, _ projection: Projection, _ written: Set<String>, _ marks: [String: Mark]
  ) throws -> Touched {
    let known = Set(sources.map { $0.table.foldedName })
    guard let read = try tablesRead(by: projection.select(table, in: connection)), read.isSubset(of: known)
    else { return .all }
    if read.isDisjoint(with: written) { return .nothing }
    // If the SELECT names a view, `read` contains the view's tables instead.
    guard let select = PlainSelect(table, projection), read == [select.table],
      let source = sources.first(where: { $0.table.foldedName == select.table })
    else { return .all }
    let keys = try keys(of: table, select, source, since: marks[select.table] ?? (0, 0))
    if case .keys = keys { found[table.name] = try projection.select(table, in: connection) }
    return keys
  }

  /// Returns the lower-case names of the tables that a SELECT reads, directly or through views. Finds them by the root
  /// pages in EXPLAIN's output. Returns `nil` if the SELECT reads something that has no triggers: a virtual table, the
  /// schema, or another database.
  private func tablesRead(by select: String) throws -> Set<String>? {
    let owners = try connection.rows("SELECT rootpage, lower(tbl_name) FROM sqlite_schema WHERE rootpage > 0")
    let names = Dictionary(owners.map { ($0[0], $0[1].text) }) { first, _ in first }
    var tables: Set<String> = []
    for step in try connection.rows("EXPLAIN \(select)") {
      switch step[1].text {
      case "OpenRead":
        guard let name = names[step[3]], step[4] == .integer(0) else { return nil }
        tables.insert(name)
      case "VOpen", "VFilter": return nil
      default: continue
      }
    }
    return tables
  }

  /// Returns the changed keys if the origin and the client store them as equal values in the same order.
  private func keys(
    of table: TableSchema, _ select: PlainSelect, _ source: Source, since mark: Mark
  ) throws -> Touched {
    let places = table.keyNames.compactMap { name in
      source.keys.firstIndex { $0.foldedName == select.column(name) }
    }
    guard Set(places).count == source.keys.count, places.count == table.key.count,
      table.keyCollations.allSatisfy({ $0 == .binary })
    else { return .all }
    let columns = places.map { "k\($0)" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT DISTINCT \(columns) FROM \(source.log) WHERE seq > ? LIMIT \(Self.mostKeys + 1)")
    try statement.bind([.integer(Int64(mark.number))])
    var keys: [[SeedValue]] = []
    let affinities = table.key.map { table.columns[$0].affinity }
    while try statement.step() {
      // A key that is invalid text cannot be read. If a row still has it, the comparison of all rows reports that row.
      guard let key = try? statement.row() else { return .all }
      for (value, affinity) in zip(key, affinities) where try fitter.fit(value, to: affinity) != value {
        return .all
      }
      keys.append(key)
    }
    guard keys.count <= Self.mostKeys else { return .all }
    let order = KeyOrder(table)
    keys.sort { order.compare($0, $1) < 0 }
    return .keys(keys)
  }

  func rows(_ table: TableSchema, keys: [[SeedValue]]) throws -> ProjectedRows {
    guard let select = found[table.name] else { preconditionFailure("\(table.name) has no keys") }
    // IS also matches NULL. The second comparison is exact, because the column's collation may match other values.
    let matches =
      table.keyNames.map { "\(quoted($0)) IS ?" } + table.keyNames.map { "\(quoted($0)) COLLATE BINARY IS ?" }
    let find = try connection.prepare("SELECT * FROM (\(select)) WHERE \(matches.joined(separator: " AND "))")
    let rows = StatementSource(find, keys: keys.map { $0 + $0 }, of: "table \"\(table.name)\"")
    return ProjectedRows(rows, table, fitter, isOrdered: true)
  }
}

/// A projection with one row for each row of one table, so that an index finds a key's row. This is the
/// table, or a SELECT of plain columns, such as `seedbank init` writes for tables identified by rowid.
struct PlainSelect {
  let table: String
  /// The table's column for each client column, in lower case; `nil` if the names are equal.
  private let columns: [String: String]?

  func column(_ name: String) -> String? {
    guard let columns else { return name.foldedName }
    return columns[name.foldedName]
  }

  init?(_ table: TableSchema, _ projection: Projection) {
    guard let text = projection.sql else {
      (self.table, self.columns) = (table.name.foldedName, nil)
      return
    }
    let sql = Array(text.utf8)
    var tokens = SQLScanner.tokens(of: sql)[...]
    while tokens.last?.keyword == ";" { tokens.removeLast() }
    guard tokens.popFirst()?.keyword == "SELECT", let source = Self.name(tokens.popLast(), in: sql),
      tokens.popLast()?.keyword == "FROM"
    else { return nil }
    var columns: [String: String] = [:]
    for part in tokens.split(omittingEmptySubsequences: false, whereSeparator: { $0.keyword == "," }) {
      let isRenamed = part.count == 3 && part.dropFirst().first?.keyword == "AS"
      guard part.count == 1 || isRenamed, let column = Self.name(part.first, in: sql),
        let alias = Self.name(part.last, in: sql), columns.updateValue(column, forKey: alias) == nil
      else { return nil }
    }
    (self.table, self.columns) = (source, columns)
  }

  private static func name(_ token: SQLScanner.Token?, in sql: [UInt8]) -> String? {
    guard let token, token.isQuoted || isName(token.keyword), !token.text(in: sql).hasPrefix("'") else {
      return nil
    }
    return token.name(in: sql).foldedName
  }

  private static func isName(_ word: String) -> Bool {
    word.utf8.first.map { $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      ?? false && word.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 < 0x80 } && !values.contains(word)
  }

  private static let values: Set = [
    "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
  ]
}
