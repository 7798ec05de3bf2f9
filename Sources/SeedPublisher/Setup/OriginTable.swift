import SeedDatabase
import SeedFormat

/// A table of the origin, with the parts that clients can get.
struct OriginTable: Sendable {
  let name: String
  let indexes: [SchemaPart]
  /// Includes generated columns, because clients get their values.
  private(set) var columns: [OriginColumn] = []
  private(set) var notes: [SetupNote] = []
  /// The foreign collations of its columns and keys, which other programs define.
  let foreignCollations: [String]
  /// Primary key columns that are NULL in some row, which SQLite allows except in WITHOUT ROWID tables.
  private(set) var nullColumns: [String] = []
  /// The rowid's name in a SELECT; nil for a WITHOUT ROWID table, or if columns hide all names of the rowid.
  let rowNumber: String?
  private let keys: [OriginKey]
  private let options: [String]

  init(
    _ part: SchemaPart, _ indexes: [SchemaPart], isWithoutRowid: Bool, isStrict: Bool,
    _ connection: Connection
  ) throws {
    let name = part.name
    (self.name, self.indexes) = (name, indexes)
    options = (isStrict ? ["STRICT"] : []) + (isWithoutRowid ? ["WITHOUT ROWID"] : [])
    let rows = try connection.rows(
      #"SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid"#,
      .text(name))
    let all = try rows.map { try OriginColumn($0, of: name, connection) }
    rowNumber = isWithoutRowid ? nil : RowidName.free(besides: all.map(\.name))
    let primary = rows.filter { $0[4] != .integer(0) }.sorted { ($0[4].number ?? 0) < ($1[4].number ?? 0) }
    let keys = try OriginKey.all(of: name, connection)
    // A key that is the rowid has no index.
    let isRowid = !primary.isEmpty && !keys.contains(where: \.isPrimary)
    let rowid = isRowid ? [OriginKey(isPrimary: true, parts: [(primary[0][0].text, "BINARY")])] : []
    self.keys = rowid + keys
    foreignCollations = Set(all.compactMap(\.foreignCollation) + keys.flatMap(\.foreignCollations)).sorted()
    // SQLite cannot read a WITHOUT ROWID table without its collations, because the table is an index.
    guard !isWithoutRowid || foreignCollations.isEmpty else { return }
    if try Self.hasRules(part, connection) { notes.append(.rules(of: name)) }
    for (column, row) in zip(all, rows) { take(column, isGenerated: row[5] != .integer(0), connection) }
    try declareMixedColumns(connection)
    guard !isWithoutRowid else { return }
    nullColumns = try primary.map(\.[0].text).filter { column in
      try connection.value("SELECT 1 FROM \(quoted(name)) WHERE \(quoted(column)) IS NULL LIMIT 1") != nil
    }
  }

  private static func hasRules(_ part: SchemaPart, _ connection: Connection) throws -> Bool {
    try SQLScanner.tokens(of: Array(part.sql.utf8)).contains { $0.keyword == "CHECK" }
      || connection.value("SELECT 1 FROM pragma_foreign_key_list(?)", .text(part.name)) != nil
  }

  /// Leaves out a generated column that fails. It may call another program's function, or fail for some rows.
  private mutating func take(_ column: OriginColumn, isGenerated: Bool, _ connection: Connection) {
    do {
      if isGenerated { _ = try connection.value("SELECT count(\(quoted(column.name))) FROM \(quoted(name))") }
      columns.append(column)
    } catch {
      notes.append(
        SetupNote(
          kind: .column, name: name, part: column.name, reason: SkipCause(error).reason,
          remedy: "clients get its values if the origin keeps them in an ordinary column"))
    }
  }

  /// A type that accepts any value, but converts text that looks like a number.
  static let anyType = "NUMERIC"

  /// Declares numeric columns as ``anyType`` if they hold other values in some rows. SQLite accepts such values, but a
  /// publisher rejects them, because clients read the declared types.
  private mutating func declareMixedColumns(_ connection: Connection) throws {
    let doubts = columns.indices.compactMap { index in
      Affinity(declaredType: columns[index].type, isStrict: false).misfits(in: columns[index].name)
        .map { (index: index, test: "max(\($0))") }
    }
    guard !doubts.isEmpty else { return }
    let row = try connection.rows(
      "SELECT \(doubts.map(\.test).joined(separator: ", ")) FROM \(quoted(name))")[0]
    for (doubt, answer) in zip(doubts, row) where answer == .integer(1) {
      columns[doubt.index].type = Self.anyType
      notes.append(
        SetupNote(
          kind: .type, name: name, part: columns[doubt.index].name,
          reason: "some of its values do not have the declared type",
          remedy: "to keep the type, correct the values and declare it in schema.sql before the first run"))
    }
  }

  /// Returns the table's SQL for clients, without CHECKs and references, which are left to the origin. A primary key
  /// with NULLs becomes a UNIQUE constraint. `rowNumber` names a new column that is the key.
  func sql(numberedBy rowNumber: String? = nil) -> String {
    let number = rowNumber.map { "\(quoted($0)) INTEGER PRIMARY KEY" }
    let lines =
      [number].compactMap(\.self) + columns.map { $0.definition(isKey: $0.name == rowidColumn) }
      + keys.filter { !$0.isPrimary || rowidColumn == nil }.compactMap(rule)
    let end = options.isEmpty ? "" : " \(options.joined(separator: ", "))"
    return "CREATE TABLE \(quoted(name)) (\n  \(lines.joined(separator: ",\n  "))\n)\(end)"
  }

  /// The primary key column that is an alias of SQLite's rowid.
  private var rowidColumn: String? {
    guard let key = keys.first(where: \.isPrimary), key.parts.count == 1, rowNumber != nil,
      nullColumns.isEmpty, let column = columns.first(where: { $0.name == key.parts[0].column })
    else { return nil }
    return column.type.uppercased() == "INTEGER" ? column.name : nil
  }

  /// Returns nil if a column of the key is skipped.
  private func rule(_ key: OriginKey) -> String? {
    let parts = key.parts.compactMap { part in
      columns.first { $0.name == part.column }.map { $0.keyPart(sortedBy: part.collation) }
    }
    let word = key.isPrimary && nullColumns.isEmpty ? "PRIMARY KEY" : "UNIQUE"
    return parts.count == key.parts.count ? "\(word) (\(parts.joined(separator: ", ")))" : nil
  }
}

struct OriginColumn: Sendable {
  let name: String
  var type: String
  var isNotNull: Bool
  /// Nil for an expression, which may call a function that clients lack.
  let defaultSQL: String?
  private let collation: String

  fileprivate init(_ row: [SeedValue], of table: String, _ connection: Connection) throws {
    (name, type, isNotNull) = (row[0].text, row[1].text, row[2] == .integer(1))
    defaultSQL = row[3].textIfAny.flatMap { Self.isLiteral($0) ? $0 : nil }
    collation = try SchemaReader(connection).collationName(table, name)
  }

  private static func isLiteral(_ sql: String) -> Bool {
    let tokens = SQLScanner.tokens(of: Array(sql.utf8))
    return tokens.count == 1 || tokens.count == 2 && ["+", "-", "X"].contains(tokens[0].keyword)
  }

  fileprivate var foreignCollation: String? {
    Collation(rawValue: collation.uppercased()) == nil ? collation : nil
  }

  var isForeign: Bool { foreignCollation != nil }

  /// The column in a SELECT, sorted by bytes if clients lack its collation.
  var selected: String { isForeign ? "\(quoted(name)) COLLATE BINARY AS \(quoted(name))" : quoted(name) }

  /// The column in a CREATE TABLE or ALTER TABLE, sorted by bytes if clients lack its collation.
  func definition(isKey: Bool = false) -> String {
    let isPlain = isForeign || collation.uppercased() == Collation.binary.rawValue
    let words = [
      quoted(name), typeSQL(type), isKey ? "PRIMARY KEY" : isNotNull ? "NOT NULL" : "",
      defaultSQL.map { "DEFAULT \($0)" } ?? "", isPlain ? "" : "COLLATE \(collation)",
    ]
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  fileprivate func keyPart(sortedBy other: String) -> String {
    let isSame =
      other.uppercased() == collation.uppercased() || Collation(rawValue: other.uppercased()) == nil
    return isSame ? quoted(name) : "\(quoted(name)) COLLATE \(other)"
  }
}

/// A primary key or a UNIQUE constraint.
private struct OriginKey: Sendable {
  let isPrimary: Bool
  let parts: [(column: String, collation: String)]

  /// Returns the keys in the order of the table's SQL. Skips indexes made by CREATE INDEX.
  static func all(of table: String, _ connection: Connection) throws -> [OriginKey] {
    let indexes = try connection.rows(
      "SELECT name, origin FROM pragma_index_list(?) WHERE origin IN ('pk', 'u') ORDER BY seq DESC",
      .text(table))
    return try indexes.map { index in
      let parts = try connection.rows(
        "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", index[0])
      return OriginKey(isPrimary: index[1].text == "pk", parts: parts.map { ($0[0].text, $0[1].text) })
    }
  }

  var foreignCollations: [String] {
    parts.map(\.collation).filter { Collation(rawValue: $0.uppercased()) == nil }
  }
}
