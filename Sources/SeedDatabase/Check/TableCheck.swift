import SeedFormat

/// Sums a table's rows and compares its indexes with them, reading each once from end to end. An index is sound if it
/// has one entry for each row and its entries are in order. Together with `quick_check` this equals `integrity_check`.
struct TableCheck {
  private let connection: Connection
  private let table: TableSchema
  private let columns: [String]
  private let own: ComparedIndex?
  private let indexes: [ComparedIndex]

  init?(_ connection: Connection, _ table: TableSchema) throws {
    guard let rowid = RowidName.free(besides: table.columnNames + table.generated) else { return nil }
    columns = table.columnNames + (table.isWithoutRowid ? [] : [rowid])
    // The rowid comes on top of the table's columns, which may already be at the limit.
    guard columns.count <= connection.columnLimit else { return nil }
    (self.connection, self.table) = (connection, table)
    let reader = SchemaReader(connection)
    let alias = try reader.rowidAlias(of: table.name)
    var indexes: [ComparedIndex] = []
    for listed in try reader.indexes(of: table.name) {
      guard let index = ComparedIndex(listed, of: columns, table) else { return nil }
      // The index stores the rowid twice, and only the copy after the key can be read.
      if index.parts.contains(where: { $0.column == alias }) { return nil }
      indexes.append(index)
    }
    own = indexes.first(where: \.isTable)
    self.indexes = indexes.filter { !$0.isTable }
    guard try isReadAsMeant() else { return nil }
  }

  /// Reads all rows. Without INDEXED BY or NOT INDEXED, SQLite would read a covering index in place of the table.
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

/// An order-independent checksum of an index's entries, which finds damage by a disk or a library. It need not resist
/// forgery: an attacker who can forge entries could also have written other rows, which the digest detects.
struct EntrySum: Hashable {
  private var sum: UInt64 = 0
  private var entries = 0

  /// Odd numbers without a pattern: the fractions of the golden ratio and of the square root of 3.
  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let factor: UInt64 = 0xBB67_AE85_84CA_A73B

  private typealias Tag = CanonicalRow.Tag

  mutating func insert(_ places: [Int], of row: [BorrowedValue]) {
    var hash = Self.seed
    for place in places { Self.add(row[place], to: &hash) }
    sum &+= hash
    entries += 1
  }

  private static func add(_ value: BorrowedValue, to hash: inout UInt64) {
    switch value {
    case .null: add(Tag.null, 0, to: &hash)
    case .integer(let value): add(Tag.integer, UInt64(bitPattern: value), to: &hash)
    case .real(let value): add(value, to: &hash)
    case .text(let bytes): add(Tag.text, bytes, to: &hash)
    case .blob(let bytes): add(Tag.blob, bytes, to: &hash)
    }
  }

  /// An index treats a whole number as one value, whether it is stored as integer or real.
  private static func add(_ value: Double, to hash: inout UInt64) {
    if let whole = Int64(exactly: value) {
      add(Tag.integer, UInt64(bitPattern: whole), to: &hash)
    } else {
      add(Tag.real, value.bitPattern, to: &hash)
    }
  }

  private static func add(_ tag: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, to hash: inout UInt64) {
    add(tag, UInt64(bytes.count), to: &hash)
    let raw = UnsafeRawBufferPointer(bytes)
    let width = MemoryLayout<UInt64>.size
    var offset = 0
    while offset + width <= raw.count {
      add(tag, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self), to: &hash)
      offset += width
    }
    guard offset < raw.count else { return }
    var rest: UInt64 = 0
    for byte in raw[offset...] { rest = rest << 8 | UInt64(byte) }
    add(tag, rest, to: &hash)
  }

  private static func add(_ tag: UInt8, _ word: UInt64, to hash: inout UInt64) {
    let tag = UInt64(tag) + 1
    let product = (word ^ hash).multipliedFullWidth(by: factor &+ tag << 1)
    hash = (product.high ^ product.low) &+ tag
  }
}
