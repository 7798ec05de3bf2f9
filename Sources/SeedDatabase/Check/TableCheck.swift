import SeedFormat

/// Sums a table's rows and compares its indexes with them, in one sequential pass over the table and each index. An
/// index is sound if it has one entry per row, in order. With `quick_check`, this is equivalent to `integrity_check`.
struct TableCheck {
  private let connection: Connection
  private let table: TableSchema
  private let columns: [String]
  private let own: ComparedIndex?
  private let indexes: [ComparedIndex]

  init?(_ connection: Connection, _ table: TableSchema) throws {
    guard let rowid = RowidName.free(besides: table.columnNames + table.generated) else { return nil }
    columns = table.columnNames + (table.isWithoutRowid ? [] : [rowid])
    // The rowid is added to the table's columns, which may already be at the limit.
    guard columns.count <= connection.columnLimit else { return nil }
    (self.connection, self.table) = (connection, table)
    let reader = SchemaReader(connection)
    let alias = try reader.rowidAlias(of: table.name)
    var indexes: [ComparedIndex] = []
    for listed in try reader.indexes(of: table.name) {
      guard let index = ComparedIndex(listed, of: columns, table) else { return nil }
      // An index over the rowid's alias cannot be compared: it stores the rowid twice, and SQL reads only one copy.
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

/// An order-independent checksum of an index's entries, which detects damage by a disk or a library. It need not
/// resist forgery: an attacker who can forge entries could also have written other rows, which the digest detects.
struct EntrySum: Hashable {
  private var sum: UInt64 = 0
  private var entries = 0

  /// Odd numbers without a pattern: the fractional parts of the golden ratio and of the square root of 3.
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

/// An index whose entries can be both read without the table and computed from the table's rows.
struct ComparedIndex {
  let name: String
  let parts: [(column: String, collation: Collation, isFalling: Bool)]
  let places: [Int]
  /// The number of leading values that must be unique together, unless one of them is NULL.
  private let unique: Int
  /// True for the primary key of a WITHOUT ROWID table, which stores the rows.
  let isTable: Bool

  /// Returns nil if the index is partial, or contains an expression or a column that is not stored.
  init?(_ index: IndexSchema, of columns: [String], _ table: TableSchema) {
    name = index.name
    let isTable = table.isWithoutRowid && index.origin == "pk"
    self.isTable = isTable
    guard !index.isPartial else { return nil }
    // The primary key of a WITHOUT ROWID table also lists the other columns, after those of the key.
    let listed = isTable ? index.key : index.parts
    parts = listed.compactMap { part in
      guard let collation = part.collation, let column = part.isRowid ? columns.last : part.column else {
        return nil
      }
      return (column, collation, part.isFalling)
    }
    places = parts.compactMap { columns.firstIndex(of: $0.column) }
    guard places.count == listed.count else { return nil }
    unique = index.isUnique ? index.key.count : index.parts.count
  }

  /// Checks that a row's entry sorts after the previous entry and has different unique values.
  func check(
    _ places: [Int], of row: [BorrowedValue], after previous: [BorrowedValue], in table: String
  ) throws(NotASeed) {
    for (position, part) in parts.enumerated() {
      let order = KeyOrder.compare(previous[position], row[places[position]], part.collation)
      guard order != 0 else { continue }
      guard (order < 0) != part.isFalling else {
        throw NotASeed("index \"\(name)\" of \"\(table)\" is out of order")
      }
      if position < unique || previous[..<unique].contains(where: \.isNull) { return }
      break
    }
    throw NotASeed("the unique index \"\(name)\" of \"\(table)\" has a duplicate entry")
  }

  func sql(_ table: TableSchema) -> String {
    let values = parts.map { quoted($0.column) }.joined(separator: ", ")
    return "SELECT \(values) FROM \(quoted(table.name)) INDEXED BY \(quoted(name))"
  }

  func plan(_ table: TableSchema) -> String { "SCAN \(table.name) USING COVERING INDEX \(name)" }
}

struct EntryWatch: ~Copyable {
  private let index: ComparedIndex
  private let table: String
  private let places: [Int]
  /// The previous entry, empty at the start; `bytes` holds its strings.
  private var previous: [BorrowedValue] = []
  private let bytes = LentBytes()

  /// `places`: the positions of the entry's values in the rows, by default those in the table's rows.
  init(_ index: ComparedIndex, _ places: [Int]? = nil, in table: String) {
    self.index = index
    self.places = places ?? index.places
    self.table = table
  }

  mutating func check(_ row: [BorrowedValue]) throws(NotASeed) {
    if !previous.isEmpty { try index.check(places, of: row, after: previous, in: table) }
    bytes.keep(places, of: row, in: &previous)
  }
}
