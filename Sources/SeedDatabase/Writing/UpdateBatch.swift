import SeedFormat

/// Looks up several rows per statement, of which ``TableWriter`` then updates some columns.
final class UpdateBatch {
  private let writer: TableWriter
  private let finding: RowStatement
  private let columns: [Int32]
  private let keyWidth: Int
  private let sizes: [Int]
  private let bytes = LentBytes()
  // In row order: the keys, the values that the rows set, and for each row its columns and the end of its values.
  @exclusivity(unchecked) private var key: [BorrowedValue] = []
  @exclusivity(unchecked) private var keys: [BorrowedValue] = []
  @exclusivity(unchecked) private var values: [BorrowedValue] = []
  @exclusivity(unchecked) private var rows: [(positions: [Int], end: Int)] = []

  init(_ writer: TableWriter) {
    self.writer = writer
    let sql = TableSQL(writer.table)
    finding = RowStatement(writer.connection) { sql.find(count: $0) }
    columns = writer.table.columns.indices.map { Int32($0) }
    keyWidth = writer.table.key.count
    sizes = RowStatement.sizes(width: writer.table.columns.count)
  }

  var isEmpty: Bool { rows.isEmpty }
  var isFull: Bool { rows.count == sizes.first ?? 1 || bytes.count > RowBatch.mostRowBytes }

  func add(_ row: [BorrowedValue], at positions: [Int]) throws {
    key.removeAll(keepingCapacity: true)
    key += row[..<keyWidth]
    try writer.fit(key: &key)
    for value in key { keys.append(bytes.copy(value)) }
    for value in row[keyWidth...] { values.append(bytes.copy(value)) }
    rows.append((positions, values.count))
  }

  /// Writes all rows and passes each outcome to `note` while ``TableWriter/row`` is that row.
  func write(_ note: (RowOutcome) -> Void) throws {
    defer {
      keys.removeAll(keepingCapacity: true)
      values.removeAll(keepingCapacity: true)
      rows.removeAll(keepingCapacity: true)
      bytes.clear()
    }
    var first = 0
    try keys.withUnsafeBufferPointer { keys in
      guard let start = keys.baseAddress else { return }
      for part in LentRows(start, width: keyWidth, count: rows.count).parts(sizes) {
        try write(part, from: first, note)
        first += part.count
      }
    }
  }

  private func write(_ keys: LentRows, from first: Int, _ note: (RowOutcome) -> Void) throws {
    if keys.count == 1 {
      return try writer.update(Array(keys[0]), change(first), at: rows[first].positions, note)
    }
    let statement = try finding.lend(keys, Array(0..<keyWidth))
    defer { statement.rewind() }
    let found = FoundRow(statement, columns, from: 1)
    let firstKey = found.first + Int32(writer.table.key[0])
    for number in 0..<keys.count {
      try statement.move(to: number)
      guard !statement.isNull(firstKey) else { throw writer.missing(Array(keys[number])) }
      note(try writer.update(found, change(first + number), at: rows[first + number].positions))
    }
  }

  private func change(_ row: Int) -> ArraySlice<BorrowedValue> {
    values[rows[row].end - rows[row].positions.count..<rows[row].end]
  }
}
