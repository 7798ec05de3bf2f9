import SeedDatabase
package import SeedServer

/// What of a schema clients can have, as SQL of SQLite, and what they cannot.
package struct PostgresSurvey {
  /// CREATE TABLE and CREATE INDEX, one statement each.
  package private(set) var statements: [String] = []
  package private(set) var leftOut: [LeftOut] = []
  package let outline: OriginOutline

  /// Something that clients do not get.
  package struct LeftOut: Hashable, Sendable {
    package enum Kind: Sendable { case table, column, index, view }

    package let kind: Kind
    package let name: String
    /// A column's own name; the name is its table's.
    package var column: String?
    package let reason: String
  }

  /// Reads the catalog; of the tables, only those that are named, where some are.
  package init(_ place: PostgresPlace, tables chosen: [String]? = nil) throws {
    let connection = try PostgresConnection(place)
    try connection.begin()
    let (catalog, types) = (try SchemaCatalog(connection), TypeCatalog(connection))
    outline = OriginOutline(catalog)
    try Self.check(chosen, catalog, place)
    leftOut = catalog.others.map {
      LeftOut(kind: .view, name: $0.name, reason: "a \($0.kind) \(Self.howToTakeView)")
    }
    var drafts: [TableDraft] = []
    for table in catalog.tables {
      guard chosen?.contains(table.name) ?? true else {
        leftOut.append(LeftOut(kind: .table, name: table.name, reason: "--tables does not name it"))
        continue
      }
      let draft = try TableDraft(table, types, besides: drafts)
      if draft.reason == nil { drafts.append(draft) }
      leftOut += draft.leftOut
    }
    statements = drafts.flatMap { $0.statements(among: drafts) }
  }

  private static let howToTakeView =
    "has no key: to publish it, add a table with a key to schema.sql and 'SELECT … FROM' it in a file TABLE.sql beside it"

  private static func check(
    _ chosen: [String]?, _ catalog: SchemaCatalog, _ place: PostgresPlace
  ) throws(PostgresError) {
    for name in chosen ?? [] where !catalog.tables.contains(where: { $0.name == name }) {
      throw .noTable(place: place.text, table: name)
    }
  }
}

/// One table on its way into a client's schema.
private struct TableDraft {
  let table: SchemaCatalog.Table
  /// Why it is left out; `nil` for one that is not.
  private(set) var reason: String?
  private(set) var leftOut: [PostgresSurvey.LeftOut] = []
  private var columns: [(name: String, sql: String)] = []
  private let key: [String]

  init(
    _ table: SchemaCatalog.Table, _ types: TypeCatalog, besides others: [TableDraft]
  ) throws(PostgresError) {
    self.table = table
    let notNull = table.columns.filter(\.isNotNull).map(\.name)
    let keys = table.indexes.filter { $0.isUnique && $0.isPlain && !$0.columns.isEmpty }
      .filter { $0.columns.allSatisfy(notNull.contains) }
    key = (keys.first(where: \.isPrimary) ?? keys.first)?.columns ?? []
    for column in table.columns { try take(column, types) }
    reason = refusal(besides: others)
    if let reason {
      leftOut = [.init(kind: .table, name: table.name, reason: reason)]
    } else {
      leftOut += table.indexes.filter { !$0.isPrimary && !$0.isPlain }.map {
        .init(kind: .index, name: $0.name, reason: "it is no index over columns alone and all rows")
      }
    }
  }

  private mutating func take(_ column: SchemaCatalog.Column, _ types: TypeCatalog) throws(PostgresError) {
    let type = try types.type(column.type)
    if let reason = try refusal(column, type, types) {
      return leftOut.append(.init(kind: .column, name: table.name, column: column.name, reason: reason))
    }
    let isRowID = key == [column.name] && type.declaration == "INTEGER"
    let rule = isRowID ? " PRIMARY KEY" : column.isNotNull ? " NOT NULL" : ""
    columns.append((column.name, "\(quoted(column.name)) \(type.declaration)\(rule)"))
  }

  private func refusal(
    _ column: SchemaCatalog.Column, _ type: ColumnType, _ types: TypeCatalog
  ) throws(PostgresError) -> String? {
    if case .refused(let reason) = type { return "of its type \(try types.name(column.type)): \(reason)" }
    let isTaken = columns.contains { $0.name.lowercased() == column.name.lowercased() }
    return isTaken ? "SQLite takes its name for that of another column" : nil
  }

  private func refusal(besides others: [TableDraft]) -> String? {
    if !table.isReadable { return "this user may not read it: GRANT SELECT ON \(quoted(table.name))" }
    if key.isEmpty {
      return "it has no key, neither a primary key nor a unique index over NOT NULL columns: give it one"
    }
    guard key.allSatisfy(has) else { return "a column of its key is left out" }
    let isTaken = others.contains { $0.table.name.lowercased() == table.name.lowercased() }
    return isTaken ? "SQLite takes its name for that of another table" : nil
  }

  private func has(_ column: String) -> Bool { columns.contains { $0.name == column } }

  func statements(among drafts: [TableDraft]) -> [String] {
    let isRowID = columns.contains { $0.sql.hasSuffix(" PRIMARY KEY") }
    let rules = (isRowID ? [] : ["PRIMARY KEY (\(list(key)))"]) + references(drafts)
    let body = (columns.map(\.sql) + rules).joined(separator: ",\n  ")
    return ["CREATE TABLE \(quoted(table.name)) (\n  \(body)\n)"] + indexes
  }

  private func references(_ drafts: [TableDraft]) -> [String] {
    table.references.filter { reference in
      let parent = drafts.first { $0.table.name == reference.parent }
      return reference.columns.allSatisfy(has)
        && parent.map { reference.parentColumns.allSatisfy($0.has) } == true
    }.map {
      "FOREIGN KEY (\(list($0.columns))) REFERENCES \(quoted($0.parent)) (\(list($0.parentColumns)))"
    }
  }

  private var indexes: [String] {
    taken.map { index in
      let unique = index.isUnique ? "UNIQUE " : ""
      return "CREATE \(unique)INDEX \(quoted(index.name)) ON \(quoted(table.name)) (\(list(index.columns)))"
    }
  }

  private var taken: [SchemaCatalog.Index] {
    table.indexes.filter {
      $0.isPlain && $0.columns != key && !$0.columns.isEmpty && $0.columns.allSatisfy(has)
    }
  }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
}

extension ColumnType {
  /// The type that a client's column gets.
  fileprivate var declaration: String {
    switch self {
    case .bool, .integer, .oid: "INTEGER"
    case .float4, .float8: "REAL"
    case .blob: "BLOB"
    case .numeric, .text, .address, .uuid, .timestamp, .structured, .refused: "TEXT"
    }
  }
}
