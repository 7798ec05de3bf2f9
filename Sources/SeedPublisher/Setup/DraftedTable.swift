import SeedDatabase
import SeedFormat

/// A table of the drafted schema as its author wrote it, without parts that clients lack. Tested in memory.
struct DraftedTable {
  let origin: OriginTable
  /// Removed references by their position in the SQL, with the reason.
  let cuts: [Int: ReferenceProblem]
  private(set) var parts: [SchemaPart] = []
  private(set) var projection: String?
  private var ownNotes: [SetupNote] = []

  var notes: [SetupNote] {
    ownNotes
      + cuts.sorted { $0.key < $1.key }.map { place, problem in
        SetupNote(
          kind: .reference, name: origin.name, part: origin.references[place].parent, reason: problem.reason,
          remedy: problem.remedy)
      }
  }

  init(_ table: OriginTable, cutting cuts: [Int: ReferenceProblem]) throws {
    try SchemaDraft.refuseReserved(table.name)
    (origin, self.cuts) = (table, cuts)
    let sql = leavingOutFunctions(
      SQLText(SQLText(SQLText(withFreeTypes(table)).withoutForeignCollations).withoutAutoincrement)
        .cuttingReferences(Set(cuts.keys)))
    let schema: TableSchema
    do {
      guard table.keys.nullColumns.isEmpty else { throw SchemaProblem.noKey(table: table.name) }
      schema = try prove(sql)
    } catch SchemaProblem.noKey { schema = try number(sql) }
    try sortByBytes(schema)
    // Publishing every row would fail if a reference were left by mistake.
    guard schema.foreignKeys.count == table.references.count - cuts.count else {
      throw SchemaProblem.notSQL("its references could not be removed from its SQL")
    }
  }

  /// A type that accepts any value and converts texts that spell a number.
  static let anyType = "NUMERIC"

  private mutating func withFreeTypes(_ table: OriginTable) -> String {
    table.mixedColumns.reduce(table.sql) { sql, column in
      guard let changed = SQLText(sql).declaring(column, as: Self.anyType) else { return sql }
      ownNotes.append(
        SetupNote(
          kind: .type, name: table.name, part: column,
          reason: "some of its values are not of the type that it has",
          remedy: "to keep the type, correct the values and declare it in schema.sql before the first run"))
      return changed
    }
  }

  private mutating func prove(_ sql: String) throws -> TableSchema {
    let proof = try Connection("schema", .memory)
    try proof.execute(sql)
    parts = [SchemaPart(kind: .table, name: origin.name, sql: sql)]
    var refused: [SetupNote] = []
    for index in origin.indexes {
      do {
        try proof.execute(index.sql)
        parts.append(SchemaPart(kind: .index, name: index.name, sql: index.sql))
      } catch { refused.append(SetupNote(.index, index.name, SkipCause(error))) }
    }
    let schema = try SchemaReader(proof).table(origin.name)
    ownNotes += refused
    return schema
  }

  // MARK: Collations

  /// Reads columns by a collation of another program as bytes. The collation's indexes cannot be read, nor can a table
  /// WITHOUT ROWID, which is an index itself.
  private mutating func sortByBytes(_ schema: TableSchema) throws {
    let text = SQLText(origin.sql)
    let names = Set(text.foreignCollations).sorted()
    guard let first = names.first else { return }
    guard origin.keys.rowNumber != nil, ModelFolder.canHold(origin.name) else {
      throw SchemaProblem.customCollation(table: origin.name, column: "", collation: first)
    }
    note(.collation, "clients lack \(names.joined(separator: ", ")), so its texts sort by their bytes")
    guard projection == nil else { return }
    let columns = schema.columnNames.map { name in
      let isForeign = text.foreignColumns.contains(name.lowercased())
      return isForeign ? "\(quoted(name)) COLLATE BINARY AS \(quoted(name))" : quoted(name)
    }
    projection = """
      -- Clients lack the collation \(names.joined(separator: ", ").printable), so texts sort by their bytes.
      SELECT \(columns.joined(separator: ", "))
      FROM \(quoted(origin.name)) NOT INDEXED

      """
  }

  // MARK: Functions

  /// Skips clauses that call a function unknown to SQLite or not trusted in a schema. The rows can still be published
  /// because the origin checked them when they were written.
  private mutating func leavingOutFunctions(_ sql: String) -> String {
    var rest = sql
    while let cause = refusal(of: rest), let function = cause.function {
      let clauses = SQLText(rest).clauses(calling: function)
      guard !clauses.isEmpty else { break }
      ownNotes += clauses.map {
        SetupNote(
          kind: .clause, name: origin.name, part: $0, reason: cause.reason,
          remedy: Self.remedy(forClause: $0, cause))
      }
      rest = SQLText(rest).cuttingClauses(calling: function)
    }
    return rest
  }

  /// Removes a whole generated column. A missing CHECK or default makes no difference to clients.
  private static func remedy(forClause clause: String, _ cause: SkipCause) -> String {
    if ["CHECK", "CONSTRAINT", "DEFAULT"].contains(SQLText(clause).keyword(0)) {
      return "nothing is lost: rows come as they are in the origin"
    }
    if case .unknownFunction = cause {
      return "clients get its values if the origin keeps them in an ordinary column"
    }
    return "for its values, add it to schema.sql as an ordinary column"
  }

  private func refusal(of sql: String) -> SkipCause? {
    do {
      let proof = try Connection("schema", .memory)
      try proof.execute(sql)
      _ = try proof.prepare("INSERT INTO \(quoted(origin.name)) DEFAULT VALUES")
      return nil
    } catch { return SkipCause(error) }
  }

  // MARK: Rows without a key

  /// Makes the row number the key. A primary key that is NULL in some rows becomes a UNIQUE constraint.
  private mutating func number(_ sql: String) throws -> TableSchema {
    guard let rowNumber = origin.keys.rowNumber, ModelFolder.canHold(origin.name) else {
      throw SchemaProblem.noKey(table: origin.name)
    }
    let unkeyed = origin.keys.nullColumns.isEmpty ? sql : SQLText(sql).withUniqueForPrimaryKey ?? sql
    if let schema = try? prove(unkeyed) {
      // Another unique key has no NULL and replaces the primary key.
      note(.key, "\(nullReason), so its key is \(list(schema.keyNames))")
      return schema
    }
    let column = try freeName(in: unkeyed)
    let schema = try prove(SQLText(unkeyed).adding(firstColumn: "\(column) INTEGER PRIMARY KEY") ?? unkeyed)
    let others = schema.columnNames.dropFirst().map(quoted)
    projection = Self.numbering(origin.name, ["\(rowNumber) AS \(column)"] + others)
    note(.numbering, origin.keys.nullColumns.isEmpty ? "there is no key" : nullReason)
    return schema
  }

  static let numberingRemark =
    "-- These rows have no key of their own, so their numbers in the origin's file are the key."

  static func numbering(_ table: String, _ columns: [String]) -> String {
    """
    \(numberingRemark)
    SELECT \(columns.joined(separator: ", "))
    FROM \(quoted(table))

    """
  }

  private var nullReason: String {
    "some of its rows have NULL in the key's \(list(origin.keys.nullColumns))"
  }

  private func list(_ columns: [String]) -> String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

  private mutating func note(_ kind: SetupNote.Kind, _ reason: String) {
    ownNotes.append(SetupNote(kind: kind, name: origin.name, reason: reason))
  }

  /// The column's name, with a number appended if the table already has that name.
  private func freeName(in sql: String) throws -> String {
    let proof = try Connection("schema", .memory)
    try proof.execute(sql)
    let rows = try proof.rows("SELECT lower(name) FROM pragma_table_xinfo(?)", .text(origin.name))
    let taken = Set(rows.map { $0[0].text })
    let names = [Self.rowNumberColumn] + (2...taken.count + 2).map { "\(Self.rowNumberColumn)_\($0)" }
    return names.first { !taken.contains($0) } ?? Self.rowNumberColumn
  }

  static let rowNumberColumn = "row_number"
}
