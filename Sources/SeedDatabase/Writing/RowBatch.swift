package import SeedFormat

/// Writes rows of one table that fill the same columns, several rows per statement.
///
/// If new keys are expected, one statement inserts several rows, up to the first that violates a constraint. Otherwise,
/// one statement looks up several rows by key. ``TableWriter`` then writes the remaining changes row by row.
package final class RowBatch {
  package let writer: TableWriter
  /// The outcomes of the rows in the last ``write(_:areNew:)``.
  @exclusivity(unchecked) package private(set) var outcomes: [RowOutcome] = []
  @exclusivity(unchecked) package private(set) var count = 0
  @exclusivity(unchecked) private var written = 0
  @exclusivity(unchecked) private var capacity: Int
  /// The values, row after row. An array would check at each access whether its storage is shared.
  @exclusivity(unchecked) private var values: UnsafeMutablePointer<BorrowedValue>
  /// The number of values in a row.
  package let width: Int
  private let positions: [Int]
  private let sizes: [Int]
  /// Whether the caller rolls back and retries the whole batch after an error.
  private let isRepeated: Bool
  private let columns: [Int32]
  private let inserting: RowStatement
  private let finding: RowStatement
  @exclusivity(unchecked) private var expectsNewKeys = false

  /// Maximum number of bytes of a row's strings and blobs; larger rows must not be in a batch.
  package static let mostRowBytes = 64 * 1024

  /// Creates a batch for an import. After an error, the import undoes the batch and writes its rows one by one.
  package convenience init(
    _ table: TableSchema, _ shape: RowShape, _ connection: Connection, _ fitter: AffinityFitter,
    rule: ConflictRule
  ) { self.init(TableWriter(table, shape, connection, fitter, rule), isRepeated: true) }

  init(_ writer: TableWriter, isRepeated: Bool = false) {
    (self.writer, self.isRepeated) = (writer, isRepeated)
    width = writer.shape.columns.count
    positions = Array(0..<width)
    sizes = RowStatement.sizes(width: width)
    columns = writer.shape.columns.prefix(writer.shape.updated).map { Int32($0) }
    let (sql, shape) = (TableSQL(writer.table), writer.shape)
    inserting = RowStatement(writer.connection) { sql.insert(shape, count: $0) }
    finding = RowStatement(writer.connection) { sql.find(count: $0) }
    capacity = 1
    values = .allocate(capacity: capacity * width)
  }

  deinit { values.deallocate() }

  package var statements: Int { writer.statements + inserting.runs + finding.runs }

  /// Whether statements may be prepared. The owner sets it.
  @exclusivity(unchecked) package var isOpen = false

  /// Frees the statements and resets the counts; the rows stay.
  package func close() {
    isOpen = false
    inserting.close()
    finding.close()
    writer.close()
  }

  /// The number of rows in a full statement.
  var fullCount: Int { sizes.first ?? 1 }

  // MARK: Rows

  /// Memory for the next row's values, in the shape's order and as their columns store them.
  package var room: UnsafeMutablePointer<BorrowedValue> {
    if count == capacity { grow() }
    return values + count * width
  }

  private func grow() {
    let larger = UnsafeMutablePointer<BorrowedValue>.allocate(capacity: 2 * capacity * width)
    larger.update(from: values, count: count * width)
    values.deallocate()
    (values, capacity) = (larger, 2 * capacity)
  }

  /// Adds the row in ``room``.
  package func keep() { count += 1 }

  package func removeLast(_ rows: Int) { count -= rows }

  package func clear() { (count, written) = (0, 0) }

  // MARK: Writing

  /// Writes the next `number` rows. With `areNew`, throws if a key exists.
  @discardableResult
  package func write(_ number: Int, areNew: Bool = false) throws -> LentRows {
    let rows = LentRows(values + written * width, width: width, count: number)
    outcomes.removeAll(keepingCapacity: true)
    for part in rows.parts(sizes) { try write(part, areNew) }
    written += number
    if written == count { clear() }
    return rows
  }

  private func write(_ rows: LentRows, _ areNew: Bool) throws {
    // After a value of the wrong type for a STRICT table, SQLite does not report how many rows it inserted.
    let mayInsert = isRepeated || !writer.table.isStrict
    if rows.count > 1, mayInsert, areNew || expectsNewKeys {
      let inserted = try insertAll(rows)
      expectsNewKeys = inserted == rows.count
      try writeSingly(rows[inserted..<rows.count], areNew)
    } else if rows.count == 1 || areNew || !canLookUpAll {
      try writeSingly(rows, areNew)
    } else {
      try lookUpAll(rows)
    }
  }

  /// A look-up adds the key's number to the table's columns, which may already be at the limit.
  private var canLookUpAll: Bool { writer.table.columns.count < writer.connection.columnLimit }

  private func writeSingly(_ rows: LentRows, _ areNew: Bool) throws {
    for number in 0..<rows.count { try note(try writer.write(Array(rows[number]), isNew: areNew)) }
  }

  private func note(_ outcome: RowOutcome) throws {
    if isRepeated, outcome == .taken { throw writer.takenError }
    outcomes.append(outcome)
  }

  /// Inserts rows up to the first constraint violation; returns their number.
  private func insertAll(_ rows: LentRows) throws -> Int {
    var inserted = rows.count
    let statement = try inserting.lend(rows, positions)
    if let error = statement.attempt() {
      guard error.primaryCode == ResultCode.constraint,
        !writer.table.isStrict || ResultCode.taken.contains(error.code)
      else { throw error }
      inserted = writer.connection.changes
    }
    try writer.noteInsertions(rows[0..<inserted])
    outcomes.append(contentsOf: repeatElement(.inserted, count: inserted))
    return inserted
  }

  private func lookUpAll(_ rows: LentRows) throws {
    let statement = try finding.lend(rows, writer.shape.key)
    defer { statement.rewind() }
    let found = FoundRow(statement, columns, from: 1)
    let firstKey = found.first + Int32(writer.table.key[0])
    var absent = 0
    for number in 0..<rows.count {
      try statement.move(to: number)
      if statement.isNull(firstKey) {
        absent += 1
        try writer.prepare(Array(rows[number]))
        try note(try writer.insertIfFree())
      } else if found.holds(rows[number]) {
        outcomes.append(writer.unchanged())
      } else {
        try writer.prepare(Array(rows[number]))
        try note(try writer.overwrite(found))
      }
    }
    expectsNewKeys = absent == rows.count
  }
}

extension Statement {
  /// Steps to the result for the key with this number. Skips rows that are found again because an update moved them.
  func move(to number: Int) throws {
    repeat {
      guard try step() else {
        throw DatabaseError(code: ResultCode.corrupt, message: "a look-up returned no row", subject: sql)
      }
    } while !holds(.integer(Int64(number)), at: 0)
  }
}
