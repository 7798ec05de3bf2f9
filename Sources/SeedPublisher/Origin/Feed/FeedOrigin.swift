package import SeedDatabase
import SeedFormat

package final class FeedOrigin: Origin {
  private let base: SQLiteOrigin
  private let record: FeedRecord
  private let schema: FeedSchema

  init(_ base: SQLiteOrigin, _ record: FeedRecord, _ schema: FeedSchema) {
    (self.base, self.record, self.schema) = (base, record, schema)
  }

  package var fitter: AffinityFitter { base.fitter }

  package func source(
    of table: TableSchema, _ projection: Projection, isOrdered: Bool
  ) throws -> any RowSource {
    try checkTypes(projection)
    return FeedRows(try base.source(of: table, projection, isOrdered: isOrdered), table, projection)
  }

  package func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int {
    try base.rowsWithoutKey(table, projection)
  }

  package func drift(_ table: TableSchema, _ projection: Projection, _ types: TypeGuard) throws -> [String] {
    try base.drift(table, projection, types)
  }

  /// Excludes the tables and indexes that loading added.
  package func outline() throws -> OriginOutline {
    var outline = try base.outline()
    func isOwn(_ name: String) -> Bool { name.foldedName.hasPrefix(ReservedTable.prefix) }
    outline.tables = outline.tables.filter { !isOwn($0.key) }
    outline.indexes.removeAll(where: isOwn)
    return outline
  }

  package func log() throws -> (any OriginLog)? { nil }

  package func isOptional(_ column: String, of table: String) -> Bool {
    schema.table(table).optional.contains(column.foldedName)
  }

  package func volatileTables(_ plan: SeriesPlan) throws -> [String: String] { try base.volatileTables(plan) }

  /// Rejects a SELECT that reads untyped columns. Their values are strings, so `n > 5` would be wrong.
  private func checkTypes(_ projection: Projection) throws {
    guard let sql = projection.sql, record.tables.contains(where: { !$0.untyped.isEmpty }) else { return }
    let (connection, reading) = (base.connection, TablesRead())
    // Other errors in the SELECT are reported later, when its rows are read.
    guard (try? connection.readOnlyStatement(sql, reading: reading)) != nil else { return }
    let isTransit = Transit.isFeed(record.tables.map(\.name))
    let words = Set(FeedSchema.words(sql))
    let joined = joinedColumns(sql, words)
    for table in record.tables {
      let read = reading.columns.filter { $0.key.foldedName == table.name.foldedName }
      var names = Set(read.flatMap(\.value).map { $0.foldedName })
      if words.contains(table.name.foldedName) { names.formUnion(joined) }
      let untyped = table.untyped.filter { names.contains($0.foldedName) }
      guard !untyped.isEmpty else { continue }
      let types = try untyped.map { name in
        let survey = try ColumnSurvey(name, of: table.name, connection)
        let type = survey.type(known: isTransit ? Transit.type(of: name) : nil)
        return JSONMember(name, .string(type.rawValue))
      }
      throw OriginError.configuration(
        "\(projection.place) reads columns of the table \"\(table.name)\" that have no type, so their numbers compare as "
          + "strings. Judging by the values, add this to \"\(table.name)\" in origin.tables: \"types\": "
          + JSONValue.object(types).text)
    }
  }

  /// The folded names of columns that joins with USING or NATURAL compare, because SQLite does not report these.
  private func joinedColumns(_ sql: String, _ words: Set<String>) -> Set<String> {
    let bytes = Array(sql.utf8)
    let joins = SQLScanner.tokens(of: bytes).split { $0.keyword == ")" }.compactMap { part in
      part.lastIndex { $0.keyword == "USING" }.map { part[$0...] }
    }
    let named = joins.joined().map { $0.name(in: bytes).foldedName }
    guard words.contains("natural") else { return Set(named) }
    let tables = record.tables.filter { words.contains($0.name.foldedName) }
    let untyped = tables.flatMap(\.untyped).map { $0.foldedName }
    return Set(named + untyped.filter { name in untyped.count { $0 == name } > 1 })
  }
}

/// A feed's rows. Rejects strings in BLOB columns, because feed files cannot contain binary data.
private final class FeedRows: RowSource {
  private let base: any RowSource
  private let table: TableSchema
  private let projection: Projection
  private let blobs: [Int]

  init(_ base: any RowSource, _ table: TableSchema, _ projection: Projection) {
    (self.base, self.table, self.projection) = (base, table, projection)
    blobs = table.columns.indices.filter { table.columns[$0].declaredType.uppercased().contains("BLOB") }
  }

  func next() throws -> Bool { try base.next() }

  func lend(to row: inout [BorrowedValue]) throws {
    try base.lend(to: &row)
    for index in blobs {
      guard case .text = row[index] else { continue }
      let remedy = projection.sql == nil ? "make the column TEXT" : "cast it in \(projection.file)"
      throw OriginError.unfit(
        table: table.name, column: table.columns[index].name,
        key: rowDescription(table.keyNames, table.key.map { row[$0].owned }),
        reason: "a string in a column of bytes: \(remedy), or fix the feed")
    }
  }
}
