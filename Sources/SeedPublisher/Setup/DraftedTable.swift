import SeedDatabase
import SeedFormat

/// A table of the drafted schema, without parts that clients do not support. Tested in memory.
struct DraftedTable {
  let origin: OriginTable
  private(set) var parts: [SchemaPart] = []
  private(set) var projection: String?
  private(set) var notes: [SetupNote]

  init(_ table: OriginTable) throws {
    try SchemaDraft.refuseReserved(table.name)
    (origin, notes) = (table, table.notes)
    if let collation = table.foreignCollations.first, !canSelect {
      throw SchemaProblem.customCollation(table: table.name, column: "", collation: collation)
    }
    do {
      let schema = try prove(table.sql())
      // If the primary key has NULLs, a UNIQUE constraint without NULLs replaces it.
      if !table.nullColumns.isEmpty { note(.key, "\(nullReason), so its key is \(list(schema.keyNames))") }
    } catch SchemaProblem.noKey { try number() }
    if !table.foreignCollations.isEmpty { sortByBytes() }
  }

  /// Whether a SELECT can number the rows: the table must have a rowid, and its name must suit a file.
  private var canSelect: Bool { origin.rowNumber != nil && ModelFolder.canHold(origin.name) }

  @discardableResult
  private mutating func prove(_ sql: String) throws -> TableSchema {
    let proof = try Connection("schema", .memory)
    try proof.execute(sql)
    parts = [SchemaPart(kind: .table, name: origin.name, sql: sql)]
    var refused: [SetupNote] = []
    for index in origin.indexes {
      do {
        try proof.execute(index.sql)
        parts.append(index)
      } catch { refused.append(SetupNote(.index, index.name, SkipCause(error))) }
    }
    let schema = try SchemaReader(proof).table(origin.name)
    notes += refused
    return schema
  }

  /// Sorts columns with another program's collation by their bytes.
  private mutating func sortByBytes() {
    let names = origin.foreignCollations.joined(separator: ", ")
    note(.collation, "clients lack COLLATE \(names), so such columns sort by their bytes")
    guard projection == nil else { return }
    projection = select("-- Clients lack COLLATE \(names.printable), so such columns sort by their bytes.")
  }

  private func select(_ remark: String, number: [String] = []) -> String {
    let columns = (number + origin.columns.map(\.selected)).joined(separator: ", ")
    // SQLite cannot read indexes with another program's collation.
    let source = quoted(origin.name) + (origin.foreignCollations.isEmpty ? "" : Self.withoutIndexes)
    return "\(remark)\nSELECT \(columns)\nFROM \(source)\n"
  }

  static let withoutIndexes = " NOT INDEXED"

  /// Makes the row number the key.
  private mutating func number() throws {
    guard let rowNumber = origin.rowNumber, canSelect else { throw SchemaProblem.noKey(table: origin.name) }
    let taken = Set(origin.columns.map { $0.name.foldedName })
    let others = (2...).lazy.map { "\(Self.rowNumberColumn)_\($0)" }
    let column =
      taken.contains(Self.rowNumberColumn) ? others.first { !taken.contains($0) } ?? "" : Self.rowNumberColumn
    try prove(origin.sql(numberedBy: column))
    projection = select(Self.numberingRemark, number: ["\(rowNumber) AS \(column)"])
    note(.numbering, origin.nullColumns.isEmpty ? "there is no key" : nullReason)
  }

  static let numberingRemark = "-- The origin's table has no key, so the row numbers in its file are the key."

  static let rowNumberColumn = "row_number"

  private var nullReason: String { "some of its rows have NULL in the key's \(list(origin.nullColumns))" }

  private func list(_ columns: [String]) -> String {
    (columns.count == 1 ? "column " : "columns ") + columns.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  private mutating func note(_ kind: SetupNote.Kind, _ reason: String) {
    notes.append(SetupNote(kind: kind, name: origin.name, reason: reason))
  }
}
