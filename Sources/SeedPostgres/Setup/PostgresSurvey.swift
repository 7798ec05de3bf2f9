import SeedDatabase
import SeedFormat
package import SeedPublisher

extension OriginSurvey {
  /// Surveys an empty SQLite database with the same tables. `chosen` limits the survey to these tables.
  package init(_ place: PostgresPlace, tables chosen: [String]? = nil) throws {
    let survey = try PostgresSurvey(place, tables: chosen)
    let connection = try Connection("schema", .memory)
    for statement in survey.statements { try connection.execute(statement) }
    try self.init(connection, survey.outline, skipped: survey.skipped, bytes: survey.bytes)
  }
}

/// The SQLite statements for the part of a schema that can be published, and the reasons why other parts cannot.
private struct PostgresSurvey {
  private(set) var statements: [String] = []
  private(set) var skipped: [SetupNote] = []
  let outline: OriginOutline
  /// The size of the tables that can be published.
  let bytes: Int

  /// Reads the catalog. `chosen` limits the survey to these tables.
  init(_ place: PostgresPlace, tables chosen: [String]?) throws {
    let connection = try PostgresConnection(place)
    try connection.begin()
    let (catalog, types) = (try SchemaCatalog(connection), TypeCatalog(connection))
    outline = OriginOutline(catalog)
    try Self.check(chosen, catalog, place)
    skipped = catalog.others.map {
      SetupNote(kind: .view, name: $0.name, reason: "a \($0.kind) has no key", remedy: Self.howToTakeView)
    }
    var drafts: [TableDraft] = []
    for table in catalog.tables {
      guard chosen?.contains(table.name) ?? true else {
        skipped.append(
          SetupNote(
            kind: .table, name: table.name, reason: "--tables does not name it",
            remedy: "name it there to publish it"))
        continue
      }
      let draft = try TableDraft(table, types, besides: drafts, place.schema, user: connection.user)
      if draft.reason == nil { drafts.append(draft) }
      skipped += draft.skipped
    }
    let names = JSONValue(strings: drafts.map(\.table.name)).text
    bytes = Int(try connection.rows(Self.size, [place.schema, names])[0][0] ?? "") ?? 0
    // In SQLite, tables and indexes share one namespace.
    var taken = Set(drafts.map { $0.table.name.foldedName })
    for draft in drafts {
      let indexes = draft.indexes(besides: &taken)
      statements += [draft.statement] + indexes.sql
      skipped += indexes.skipped
    }
  }

  /// The size of a partitioned table is the size of its partitions.
  private static let size = """
    SELECT sum(pg_table_size(coalesce(p.relid, c.oid))) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    LEFT JOIN LATERAL pg_partition_tree(c.oid) p ON true \
    WHERE n.nspname = $1 AND c.relname IN (SELECT json_array_elements_text($2::json))
    """

  private static let howToTakeView =
    "to publish its rows, declare a table with a key in schema.sql, and put next to it a file TABLE.sql that selects the rows"

  private static func check(
    _ chosen: [String]?, _ catalog: SchemaCatalog, _ place: PostgresPlace
  ) throws(PostgresError) {
    for name in chosen ?? [] where !catalog.tables.contains(where: { $0.name == name }) {
      throw .configuration("the origin \(place.text) has no table \"\(name)\": correct --tables")
    }
  }
}

private struct TableDraft {
  let table: SchemaCatalog.Table
  private(set) var reason: String?
  private(set) var skipped: [SetupNote] = []
  private var columns: [(name: String, sql: String)] = []
  private let key: [String]

  init(
    _ table: SchemaCatalog.Table, _ types: TypeCatalog, besides others: [TableDraft], _ schema: String,
    user: String
  ) throws(PostgresError) {
    self.table = table
    let notNull = table.columns.filter(\.isNotNull).map(\.name)
    let keys = table.indexes.filter {
      $0.isUnique && !$0.columns.isEmpty && $0.columns.allSatisfy(notNull.contains)
    }
    key = (keys.first(where: \.isPrimary) ?? keys.first)?.columns ?? []
    for column in table.columns { try take(column, types) }
    reason = denial(schema, user) ?? refusal(besides: others)
    if let reason {
      skipped = [SetupNote(kind: .table, name: table.name, reason: reason)]
    } else {
      skipped += rowNotes
    }
  }

  private var rowNotes: [SetupNote] {
    let heirs = table.heirs.map { heirs in
      SetupNote(
        kind: .rows, name: table.name,
        reason: "they include the rows of inheriting tables (\(heirs)), so a key may occur twice",
        remedy:
          "'SELECT … FROM ONLY \(quoted(table.name))' in its file TABLE.sql beside schema.sql reads only the table's own rows"
      )
    }
    let exempt = SetupNote(
      kind: .rows, name: table.name,
      reason:
        "clients also get the rows that row-level security hides from other users, because this user is exempt",
      remedy:
        "to publish fewer, connect as a user without that exemption and set origin.rowSecurity to \"apply\"")
    return [heirs, table.isExempt ? exempt : nil, table.hasRules ? .rules(of: table.name) : nil]
      .compactMap(\.self)
  }

  private mutating func take(_ column: SchemaCatalog.Column, _ types: TypeCatalog) throws(PostgresError) {
    let type = try types.type(column.type)
    if let reason = try refusal(column, type, types) {
      return skipped.append(
        SetupNote(
          kind: .column, name: table.name, part: column.name, reason: reason, remedy: Self.columnRemedy))
    }
    let rule = column.isNotNull ? " NOT NULL" : ""
    columns.append((column.name, "\(quoted(column.name)) \(type.declaration)\(rule)"))
  }

  private static let columnRemedy =
    "to publish its values, add a column to schema.sql, and SELECT it with a cast or another name in the file TABLE.sql"

  private func refusal(
    _ column: SchemaCatalog.Column, _ type: ColumnType, _ types: TypeCatalog
  ) throws(PostgresError) -> String? {
    if case .refused(let reason) = type {
      return "its type \(try types.name(column.type)) is not supported: \(reason)"
    }
    let isTaken = columns.contains { $0.name.foldedName == column.name.foldedName }
    return isTaken ? "another column has the same name, because SQLite ignores case" : nil
  }

  private func denial(_ schema: String, _ user: String) -> String? {
    if !table.isReadable {
      return
        "this user may not read it: have its owner run \(PostgresError.grants(to: user, schema, table: table.name))"
    }
    guard table.isGuarded else { return nil }
    return
      "row-level security hides some rows from this user: have a superuser run ALTER ROLE \(quoted(user)) BYPASSRLS;"
  }

  private func refusal(besides others: [TableDraft]) -> String? {
    if Self.isOfSQLite(table.name) {
      return "SQLite reserves such names: add to schema.sql a table that has another name, and beside it a "
        + "file TABLE.sql with 'SELECT … FROM \(quoted(table.name))'"
    }
    if key.isEmpty {
      return
        "it has no key, neither a primary key nor a unique index over NOT NULL columns: if some columns identify its rows, create such "
        + "an index over them, or add the table to schema.sql with them as the PRIMARY KEY; otherwise run "
        + "ALTER TABLE … ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    }
    guard key.allSatisfy(has) else { return "a column of its key is skipped: give it another key" }
    let isTaken = others.contains { $0.table.name.foldedName == table.name.foldedName }
    return isTaken ? "another table has the same name, because SQLite ignores case: rename one of them" : nil
  }

  private func has(_ column: String) -> Bool { columns.contains { $0.name == column } }

  private static func isOfSQLite(_ name: String) -> Bool { name.foldedName.hasPrefix("sqlite_") }

  var statement: String {
    let lines = columns.map(\.sql) + ["PRIMARY KEY (\(list(key)))"]
    // A rowid table would store a key of several columns twice: in the table and in an index.
    let end = key.count > 1 ? " WITHOUT ROWID" : ""
    return "CREATE TABLE \(quoted(table.name)) (\(lines.joined(separator: ", ")))\(end)"
  }

  func indexes(besides names: inout Set<String>) -> (sql: [String], skipped: [SetupNote]) {
    var (sql, skipped) = ([String](), [SetupNote]())
    for index in table.indexes where !index.isPrimary && index.columns != key {
      if let reason = refusal(index, names) {
        skipped.append(
          SetupNote(kind: .index, name: index.name, reason: reason, remedy: SkipCause.indexRemedy))
        continue
      }
      names.insert(index.name.foldedName)
      let unique = index.isUnique ? "UNIQUE " : ""
      sql.append(
        "CREATE \(unique)INDEX \(quoted(index.name)) ON \(quoted(table.name)) (\(list(index.columns)))")
    }
    return (sql, skipped)
  }

  private func refusal(_ index: SchemaCatalog.Index, _ names: Set<String>) -> String? {
    if index.columns.isEmpty { return "only valid btree indexes of columns without a WHERE can be published" }
    if !index.columns.allSatisfy(has) { return "one of its columns is skipped" }
    if Self.isOfSQLite(index.name) { return "SQLite reserves such names" }
    return names.contains(index.name.foldedName) ? "another part has the same name: SQLite ignores case" : nil
  }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
}

extension ColumnType {
  fileprivate var declaration: String {
    switch self {
    case .bool, .integer, .oid: "INTEGER"
    case .float4, .float8: "REAL"
    case .blob: "BLOB"
    case .numeric, .text, .address, .uuid, .timestamp, .structured, .refused: "TEXT"
    }
  }
}
