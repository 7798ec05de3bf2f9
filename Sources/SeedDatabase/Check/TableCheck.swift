import SeedFormat

/// Sums a table's rows, and compares its indexes with them: each is read once, from end to end.
///
/// An index is as it should be where its entries are those that the rows make, each once, and stand in order. With
/// `quick_check` that is what `integrity_check` says of it.
struct TableCheck {
  private let connection: Connection
  private let table: TableSchema
  private let columns: [String]
  /// The one that is the table itself, and the others.
  private let own: ComparedIndex?
  private let indexes: [ComparedIndex]

  private static let rowidNames = ["rowid", "oid", "_rowid_"]

  /// `nil` where an index cannot be compared in this way.
  init?(_ connection: Connection, _ table: TableSchema) throws {
    let names = Set((table.columnNames + table.generated).map { $0.lowercased() })
    let rowid = Self.rowidNames.first { !names.contains($0) }
    guard let rowid else { return nil }
    columns = table.columnNames + (table.isWithoutRowid ? [] : [rowid])
    (self.connection, self.table) = (connection, table)
    let reader = SchemaReader(connection)
    let alias = try reader.rowidAlias(of: table.name)
    var indexes: [ComparedIndex] = []
    for listed in try reader.indexes(of: table.name) {
      guard let index = ComparedIndex(listed, of: columns, table) else { return nil }
      // Its entries have the rowid twice, and only the one behind the key can be read.
      if index.parts.contains(where: { $0.column == alias }) { return nil }
      indexes.append(index)
    }
    own = indexes.first(where: \.isTable)
    self.indexes = indexes.filter { !$0.isTable }
    guard try isReadAsMeant() else { return nil }
  }

  /// All rows. Unless it is told, SQLite reads an index that has all columns in place of the table.
  private var sql: String {
    let list = columns.map(quoted).joined(separator: ", ")
    let way = own.map { "INDEXED BY \(quoted($0.name))" } ?? "NOT INDEXED"
    return "SELECT \(list) FROM \(quoted(table.name)) \(way)"
  }

  private func isReadAsMeant() throws -> Bool {
    let readings = [(sql, "SCAN \(table.name)")] + indexes.map { ($0.sql(table), $0.plan(table)) }
    return try readings.allSatisfy { sql, plan in
      try connection.rows("EXPLAIN QUERY PLAN \(sql)").map(\.last) == [.text(plan)]
    }
  }

  func run() throws -> TableSum {
    let (sum, expected) = try readRows()
    for (index, expected) in zip(indexes, expected) {
      guard try entries(of: index) == expected else {
        throw NotASeed("the entries of index \"\(index.name)\" do not match the rows of \"\(table.name)\"")
      }
    }
    return sum
  }

  private func readRows() throws -> (TableSum, [EntrySum]) {
    let rows = try connection.prepare(sql)
    var (sum, row, entries) = (TableSum(), [BorrowedValue](), indexes.map { _ in EntrySum() })
    var hasher = RowHasher()
    var order = own.map { EntryWatch($0, in: table.name) }
    while try rows.step() {
      rows.borrowRow(into: &row)
      row.withUnsafeBufferPointer {
        sum.insert(hasher.hash(lent: UnsafeBufferPointer(rebasing: $0.prefix(table.columns.count))))
      }
      for position in indexes.indices { entries[position].insert(indexes[position].places, of: row) }
      try order?.check(row)
    }
    return (sum, entries)
  }

  private func entries(of index: ComparedIndex) throws -> EntrySum {
    let rows = try connection.prepare(index.sql(table))
    let places = Array(index.parts.indices)
    var (sum, row) = (EntrySum(), [BorrowedValue]())
    var order = EntryWatch(index, places, in: table.name)
    while try rows.step() {
      rows.borrowRow(into: &row)
      sum.insert(places, of: row)
      try order.check(row)
    }
    return sum
  }
}
