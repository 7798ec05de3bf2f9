import CSQLite

/// A target's content, on which contenders must agree: row counts and one sum over every value's bytes.
struct Checksum {
  private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01B3
  private(set) var rows: [Int] = []
  private var hash = basis

  var text: String { String(hash, radix: 16) }

  init(_ path: String, _ tables: [TableShape]) throws {
    let database = try RawDatabase(path)
    for table in tables { try add(table, database) }
  }

  private mutating func add(_ table: TableShape, _ database: RawDatabase) throws {
    let statement = try database.prepare(
      "SELECT \(table.columnList) FROM \(table.name) ORDER BY \(table.keyList)")
    var count = 0
    while try statement.step() {
      for column in table.columns.indices { add(statement, Int32(column)) }
      count += 1
    }
    rows.append(count)
  }

  private mutating func add(_ statement: RawStatement, _ column: Int32) {
    add(UInt8(truncatingIfNeeded: sqlite3_column_type(statement.handle, column)))
    let bytes = sqlite3_column_text(statement.handle, column)
    let count = Int(sqlite3_column_bytes(statement.handle, column))
    for byte in UnsafeBufferPointer(start: bytes, count: count) { add(byte) }
  }

  private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* Self.prime }
}
