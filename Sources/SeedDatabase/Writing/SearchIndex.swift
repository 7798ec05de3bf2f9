import SeedFormat

/// Updates an external-content FTS5 table row by row. To remove a row from the index, FTS5 needs its
/// old content, so the old row is read before the change. If many rows change, a rebuild at the end is cheaper.
package final class SearchIndex {
  private let connection: Connection
  private let name: String
  private let key: [Int]
  private let find: Statement
  private let insert: Statement
  private let delete: Statement
  private var changesLeft: Int

  /// The indexed state of a row: its rowid and its values.
  typealias Image = [SeedValue]

  private static let rebuildShare = 4
  /// Up to this many changes, the index is always updated row by row.
  private static let fewestChanges = 64

  init(_ search: SearchTable, _ content: TableSchema, rows: Int, _ connection: Connection) throws {
    self.connection = connection
    name = quoted(search.name)
    key = content.key
    changesLeft = max(Self.fewestChanges, rows / Self.rebuildShare)
    let number = SQLTokens(try SchemaReader(connection).sql(search.name)).contentRowid ?? RowidName.usual
    let names = try connection.rows(
      "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", .text(search.name)
    ).map { quoted($0[0].text) }
    let columns = names.joined(separator: ", ")
    let matches = content.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
    let marks = names.map { _ in ", ?" }.joined()
    find = try connection.prepare(
      "SELECT \(quoted(number)), \(columns) FROM \(quoted(content.name)) WHERE \(matches)")
    insert = try connection.prepare("INSERT INTO \(name)(rowid, \(columns)) VALUES (?\(marks))")
    delete = try connection.prepare(
      "INSERT INTO \(name)(\(name), rowid, \(columns)) VALUES ('delete', ?\(marks))")
  }

  private var follows: Bool { changesLeft > 0 }

  /// The index's content for the stored row that has the same key as `row`; nil if there is no such row, or if the
  /// index will be rebuilt.
  func image(_ row: UnsafeBufferPointer<BorrowedValue>) throws -> Image? {
    guard follows else { return nil }
    defer { find.rewind() }
    for (index, position) in key.enumerated() { try find.lend(row[position], at: Int32(index + 1)) }
    return try find.step() ? try find.row() : nil
  }

  func replace(_ old: Image?, _ row: UnsafeBufferPointer<BorrowedValue>?) throws {
    guard follows else { return }
    let new = try row.flatMap { try image($0) }
    guard new != old else { return }
    changesLeft -= 1
    guard follows else { return }
    if let old { try delete.run(old) }
    if let new { try insert.run(new) }
  }

  func finish() throws { if !follows { try Self.rebuild(name, connection) } }

  /// Rebuilds each FTS5 table whose content is in one of these tables.
  package static func rebuild(over tables: Set<String>, _ connection: Connection) throws {
    let tables = Set(tables.map(\.foldedName))
    let rows = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    for row in rows {
      let content = SQLTokens(row[1].text).externalContent?.foldedName
      if content.map(tables.contains) == true { try rebuild(quoted(row[0].text), connection) }
    }
  }

  static func rebuild(_ name: String, _ connection: Connection) throws {
    try connection.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
  }
}
