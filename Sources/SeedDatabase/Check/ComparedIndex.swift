import SeedFormat

/// An index whose entries can be made from its table's rows, and read without the table.
struct ComparedIndex {
  let name: String
  let parts: [IndexPart]
  /// Where an entry's values stand in a row that ``TableCheck`` reads.
  let places: [Int]
  let order: EntryOrder
  /// Whether it is the table itself, as the primary key of a table without rowids is.
  let isTable: Bool

  /// The index that SQLite lists; `nil` where it is over part of the rows, an expression or what is not stored.
  init?(_ connection: Connection, _ listed: [SeedValue], of columns: [String], _ table: TableSchema) throws {
    name = listed[0].text
    let isTable = table.isWithoutRowid && listed[2].text == "pk"
    self.isTable = isTable
    guard listed[3] == .integer(0) else { return nil }
    let rows = try connection.rows(
      """
      SELECT coalesce(name, CASE cid WHEN -1 THEN ?2 END), upper(coll), "desc", key
      FROM pragma_index_xinfo(?1) ORDER BY seqno
      """,
      .text(name), .text(columns.last ?? ""))
    // Behind its key, the table's own index lists the other columns.
    let parts = rows.filter { !isTable || $0[3] == .integer(1) }.map(IndexPart.init)
    let places = parts.map { part in part.flatMap { columns.firstIndex(of: $0.column) } }
    guard !parts.contains(nil), !places.contains(nil) else { return nil }
    self.parts = parts.compactMap(\.self)
    self.places = places.compactMap(\.self)
    let keys = rows.count { $0[3] == .integer(1) }
    order = EntryOrder(self.parts, unique: listed[1] == .integer(1) ? keys : rows.count)
  }

  /// All entries, in the order in which they stand.
  func sql(_ table: TableSchema) -> String {
    let values = parts.map { quoted($0.column) }.joined(separator: ", ")
    return "SELECT \(values) FROM \(quoted(table.name)) INDEXED BY \(quoted(name))"
  }

  /// What SQLite says of ``sql(_:)`` where it reads the entries alone, and all of them.
  func plan(_ table: TableSchema) -> String { "SCAN \(table.name) USING COVERING INDEX \(name)" }
}

extension IndexPart {
  fileprivate init?(_ row: [SeedValue]) {
    guard case .text(let column) = row[0], case .text(let coll) = row[1],
      let collation = Collation(rawValue: coll)
    else { return nil }
    self.init(column: column, collation: collation, isFalling: row[2] == .integer(1))
  }
}
