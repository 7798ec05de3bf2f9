package import SeedDatabase
import SeedFormat

/// The rows of a loaded feed.
package final class FeedOrigin: SQLiteOrigin {
  private let staging: String
  private let record: FeedRecord
  private let schema: FeedSchema

  init(_ staging: String, _ record: FeedRecord, _ schema: FeedSchema, waitSeconds: Int) throws {
    (self.staging, self.record, self.schema) = (staging, record, schema)
    try super.init(staging, waitSeconds: waitSeconds, mayQuoteTexts: false)
  }

  package override func source(
    of table: TableSchema, _ projection: Projection, isOrdered: Bool
  ) throws -> any RowSource {
    try checkTypes(projection)
    return try super.source(of: table, projection, isOrdered: isOrdered)
  }

  /// Excludes tables that loading added.
  package override func outline() throws -> OriginOutline {
    var outline = try super.outline()
    func isOwn(_ name: String) -> Bool { name.lowercased().hasPrefix(ReservedTable.prefix) }
    outline.tables = outline.tables.filter { !isOwn($0.key) }
    outline.indexes.removeAll(where: isOwn)
    return outline
  }

  package override func log() throws -> (any OriginLog)? { nil }

  package override func isOptional(_ column: String, of table: String) -> Bool {
    schema.table(table).optional.contains(column.lowercased())
  }

  /// SQLite compares numbers as texts if the column has no type, so `n > 5` in a SELECT needs one.
  private func checkTypes(_ projection: Projection) throws {
    guard let sql = projection.sql, record.tables.contains(where: { !$0.untyped.isEmpty }) else { return }
    let (connection, reading) = (try Connection(staging, .origin), TablesRead())
    // The SELECT's reader reports other errors in it.
    guard (try? connection.readOnlyStatement(sql, reading: reading)) != nil else { return }
    let isTransit = Transit.isFeed(record.tables.map(\.name))
    for table in record.tables {
      let read = reading.columns.filter { $0.key.lowercased() == table.name.lowercased() }
      let names = Set(read.flatMap(\.value).map { $0.lowercased() })
      let untyped = table.untyped.filter { names.contains($0.lowercased()) }
      guard !untyped.isEmpty else { continue }
      let types = try untyped.map { name in
        let survey = try ColumnSurvey(name, of: table.name, connection)
        return (name, survey.type(known: isTransit ? Transit.type(of: name) : nil))
      }
      throw FeedError.untyped(source: projection.place, table: table.name, types: types)
    }
  }
}
