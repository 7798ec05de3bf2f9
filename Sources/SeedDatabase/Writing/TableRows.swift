package import SeedFormat

/// Writes one table's rows for a ``SeedWriter``. Collects copies of whole rows until they fill a statement.
package final class TableRows {
  private let batch: RowBatch
  private let updates: UpdateBatch
  private let bytes = LentBytes()
  private var areNew = false
  /// The rows whose unique values were taken.
  private var waiting: [[SeedValue]] = []

  init(
    _ table: TableSchema, _ connection: Connection, _ fitter: AffinityFitter, _ sum: TableSum?,
    _ watch: RowWatch?
  ) {
    let shape = RowShape(whole: table)
    batch = RowBatch(TableWriter(table, shape, connection, fitter, .overwrite, sum, watch))
    updates = UpdateBatch(batch.writer)
  }

  /// Creates a writer for a table in a database without sums.
  package convenience init(_ table: TableSchema, _ connection: Connection) {
    self.init(table, connection, AffinityFitter(), nil, nil)
  }

  var writer: TableWriter { batch.writer }

  /// Inserts a row with every stored column in declared order, or replaces the row with the same key. With `isNew`,
  /// throws if the key exists.
  package func write(lent row: [BorrowedValue], isNew: Bool = false) throws {
    if !updates.isEmpty { try flush() }
    let size = row.reduce(0) { $0 + $1.byteCount }
    if isNew != areNew || bytes.count + size > RowBatch.mostRowBytes { try flush() }
    areNew = isNew
    guard size <= RowBatch.mostRowBytes else {
      return note(try writer.write(row, isNew: isNew), writer.row.map(\.owned))
    }
    try writer.prepare(row)
    let room = batch.room
    for (place, value) in writer.row.enumerated() { (room + place).initialize(to: bytes.copy(value)) }
    batch.keep()
    if batch.count == batch.fullCount { try flush() }
  }

  package func delete(lentKey key: [BorrowedValue]) throws {
    try flush()
    try writer.delete(key: key)
  }

  /// Sets the columns at `positions` of an existing row. `values` contains the key's values, followed by those of the
  /// columns.
  package func update(lent values: [BorrowedValue], at positions: [Int]) throws {
    if batch.count > 0 { try flush() }
    try updates.add(values, at: positions)
    if updates.isFull { try flush() }
  }

  package func flush() throws {
    defer {
      batch.clear()
      bytes.clear()
    }
    let rows = try batch.write(batch.count, areNew: areNew)
    for (number, outcome) in batch.outcomes.enumerated() { note(outcome, rows[number].map(\.owned)) }
    try updates.write { outcome in note(outcome, writer.row.map(\.owned)) }
  }

  private func note(_ outcome: RowOutcome, _ row: @autoclosure () -> [SeedValue]) {
    if outcome == .taken { waiting.append(row()) }
  }

  /// Writes the rows whose unique values were taken; now that all others are written, they can swap values.
  func finish() throws {
    let old = try waiting.map { try writer.lift(bytes.lend($0)) }
    for (row, old) in zip(waiting, old) { try writer.place(bytes.lend(row), over: old) }
    waiting = []
  }
}
