package import SeedFormat

/// Writes whole rows of one table, several per statement, for deltas.
///
/// `insertAll` writes full batches of new keys, up to the first row that violates a constraint; ``TableWriter`` writes
/// all other rows one by one. One statement for a batch saves more than half of a single row's cost: starting the
/// statement, opening cursors and descending from the root. After a batch of new keys, the next batch is inserted
/// without a look-up.
package final class RowBatch {
  let writer: TableWriter
  private let sql: TableSQL
  private let connection: Connection
  private let capacity: Int
  private let width: Int
  private let keyPositions: [Int]
  private let columns: [Int32]
  /// The waiting rows in sequence. Not an array, which checks for uniqueness at each access.
  private let values: UnsafeMutablePointer<BorrowedValue>
  @exclusivity(unchecked) private var count = 0
  private let bytes = LentBytes()
  private var waiting: [[SeedValue]] = []
  @exclusivity(unchecked) private var kind = Kind.upsert
  @exclusivity(unchecked) private var expectsNewKeys = false
  @exclusivity(unchecked) private var inserting: Statement?
  @exclusivity(unchecked) private var finding: Statement?

  private enum Kind { case upsert, insert }

  /// Rows per batch; twice as many are only 5 % faster.
  private static let rows = 16
  /// Values per statement; wide tables get smaller batches.
  private static let parameters = 512
  private static let fewestRows = 4
  /// Bytes of texts and blobs in the waiting rows; a larger row is written alone.
  private static let contentBytes = 64 * 1024

  /// A batch for a table in its default layout, in a database without sums.
  package convenience init(_ table: TableSchema, _ connection: Connection, _ fitter: AffinityFitter) throws {
    try self.init(TableLayout(table), connection, fitter)
  }

  init(
    _ layout: TableLayout, _ connection: Connection, _ fitter: AffinityFitter, _ sum: TableSum? = nil,
    _ watch: RowWatch? = nil
  ) throws {
    let whole = RowShape(whole: layout.stored)
    writer = try TableWriter(layout, whole, connection, fitter, .overwrite, sum, watch)
    self.connection = connection
    sql = TableSQL(layout)
    width = writer.table.columns.count
    let fitting = min(Self.rows, Self.parameters / width)
    capacity = fitting < Self.fewestRows ? 0 : fitting
    keyPositions = writer.shape.key
    columns = (0..<Int32(width)).map { $0 }
    values = .allocate(capacity: capacity * width)
  }

  deinit { values.deallocate() }

  // MARK: Rows

  /// Inserts or updates a row with every stored column in declared order.
  package func upsert(lent row: [BorrowedValue]) throws {
    if kind != .upsert { try flush(then: .upsert) }
    try add(row)
  }

  /// Inserts a row with a new key; throws if the key exists.
  package func insert(lent row: [BorrowedValue]) throws {
    if kind != .insert { try flush(then: .insert) }
    try add(row)
  }

  package func delete(lentKey key: [BorrowedValue]) throws {
    try flush()
    try writer.delete(key: key)
  }

  private func add(_ row: [BorrowedValue]) throws {
    let size = row.reduce(0) { $0 + $1.byteCount }
    if capacity == 0 || size > Self.contentBytes {
      try flush()
      return try write(row)
    }
    if bytes.count + size > Self.contentBytes { try flush() }
    try writer.prepare(row)
    take(writer.row)
    if count == capacity { try flush() }
  }

  private func take(_ row: [BorrowedValue]) {
    let place = values + count * width
    for index in 0..<width { (place + index).initialize(to: bytes.copy(row[index])) }
    count += 1
  }

  private func row(_ number: Int) -> UnsafeBufferPointer<BorrowedValue> {
    UnsafeBufferPointer(start: values + number * width, count: width)
  }

  // MARK: Writing

  package func flush() throws { try flush(then: kind) }

  private func flush(then next: Kind) throws {
    defer {
      count = 0
      bytes.clear()
      kind = next
    }
    guard count == capacity, count > 0 else { return try writeSingly(from: 0) }
    // After a value of the wrong type for a STRICT table, SQLite does not report how many rows it inserted.
    if !writer.table.isStrict, kind == .insert || expectsNewKeys {
      let inserted = try insertAll()
      expectsNewKeys = inserted == count
      try writeSingly(from: inserted)
    } else if kind == .insert {
      try writeSingly(from: 0)
    } else {
      try lookUpAll()
    }
  }

  private func writeSingly(from first: Int) throws {
    for number in first..<count { try write(Array(row(number))) }
  }

  private func write(_ row: [BorrowedValue]) throws {
    if kind == .insert { try writer.insert(row) } else { note(try writer.upsert(row)) }
  }

  private func note(_ outcome: RowOutcome) {
    if case .taken = outcome { waiting.append(writer.row.map(\.owned)) }
  }

  /// Writes the rows whose unique values were taken; now that all others are written, they can swap values.
  func finish() throws {
    let old = try waiting.map { try writer.lift(bytes.lend($0)) }
    for (row, old) in zip(waiting, old) { _ = try writer.place(bytes.lend(row), over: old) }
    waiting = []
  }

  /// Inserts rows up to the first constraint violation; returns their number.
  private func insertAll() throws -> Int {
    let statement = try inserting ?? connection.prepare(sql.insert(count: capacity))
    inserting = statement
    for index in 0..<count * width { try statement.lend(values[index], at: Int32(index + 1)) }
    var inserted = count
    if let error = statement.attempt() {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      inserted = connection.changes
    }
    try writer.noteInsertions(UnsafeBufferPointer(start: values, count: inserted * width), count: inserted)
    return inserted
  }

  private func lookUpAll() throws {
    let statement = try finding ?? connection.prepare(sql.find(count: capacity))
    finding = statement
    defer { statement.rewind() }
    for number in 0..<count {
      for (place, position) in keyPositions.enumerated() {
        try statement.lend(row(number)[position], at: Int32(number * keyPositions.count + place + 1))
      }
    }
    let found = FoundRow(statement, columns, from: 1)
    var absent = 0
    for number in 0..<count {
      try moveTo(number, statement)
      if statement.isNull(found.first + Int32(keyPositions[0])) {
        absent += 1
        try writer.prepare(Array(row(number)))
        note(try writer.insertIfFree())
      } else if found.holds(row(number)) {
        writer.noteUnchanged()
      } else {
        try writer.prepare(Array(row(number)))
        note(try writer.overwrite(found))
      }
    }
    expectsNewKeys = absent == count
  }

  /// A written row may be found again if the update moved it in the table.
  private func moveTo(_ number: Int, _ statement: Statement) throws {
    repeat {
      guard try statement.step() else {
        throw DatabaseError(
          code: ResultCode.corrupt, message: "a look-up returned no row", subject: statement.sql)
      }
    } while !statement.holds(.integer(Int64(number)), at: 0)
  }
}
