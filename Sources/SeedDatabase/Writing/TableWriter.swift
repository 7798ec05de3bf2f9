package import SeedFormat

/// Writes rows of one table and shape, and maintains the table's sum, if any. Writes a row only if its canonical
/// bytes differ from those of the stored row with the same key. Whether to look up or to insert first depends on the
/// previous row, because in most imports either all rows are new or all exist.
package final class TableWriter {
  let table: TableSchema
  package let shape: RowShape
  /// Nil if the database keeps no sums.
  @exclusivity(unchecked) private(set) var sum: TableSum?
  @exclusivity(unchecked) package private(set) var changes = TableChanges()
  @exclusivity(unchecked) private(set) var statements = 0
  /// SQLite's message about the latest unique conflict.
  package private(set) var takenMessage = ""
  private let rule: ConflictRule
  private let fitter: AffinityFitter
  private let keyAffinities: [Affinity]
  let connection: Connection
  @exclusivity(unchecked) private var prepared: [Statement?]
  /// The columns in which an existing row is compared and updated, and their positions in the shape.
  private let columns: [Int32]
  private let everyColumn: [Int]
  let watch: RowWatch?
  private var hasher = RowHasher()
  @exclusivity(unchecked) private(set) var row: [BorrowedValue] = []
  /// The compared columns of the existing row, borrowed from the statement that found it.
  @exclusivity(unchecked) private var old: [BorrowedValue] = []
  /// The positions in which ``row`` differs from ``old``.
  @exclusivity(unchecked) private var differing: [Int] = []
  private let stored = LentBytes()
  @exclusivity(unchecked) private var expectsKnownKeys = true
  /// Partial updates by the positions of the columns that they set, and the latest of them.
  private var narrowUpdates: [[Int]: Statement] = [:]
  private var latestUpdate: (positions: [Int], statement: Statement)?

  /// Maximum number of cached partial updates; further combinations update whole rows.
  private static let mostNarrowUpdates = 32

  /// Strings and blobs above this size should not be in memory twice.
  private static let longBytes = 1 << 20

  private enum Use: Int, CaseIterable { case find, insert, insertIfAbsent, update, delete }

  init(
    _ table: TableSchema, _ shape: RowShape, _ connection: Connection, _ fitter: AffinityFitter,
    _ rule: ConflictRule, _ sum: TableSum? = nil, _ watch: RowWatch? = nil
  ) {
    (self.table, self.shape, self.sum, self.rule, self.watch) = (table, shape, sum, rule, watch)
    (self.connection, self.fitter) = (connection, fitter)
    columns = shape.columns.prefix(shape.updated).map { Int32($0) }
    everyColumn = Array(columns.indices)
    keyAffinities = table.key.map { table.columns[$0].affinity }
    prepared = Array(repeating: nil, count: Use.allCases.count)
  }

  /// Prepares a statement on first use, because an import has many shapes and writes most of its rows in batches.
  private func statement(_ use: Use) throws(DatabaseError) -> Statement {
    if let known = prepared[use.rawValue] { return known }
    let sql = TableSQL(table)
    let text =
      switch use {
      case .find: sql.find
      case .insert: sql.insert(shape)
      case .insertIfAbsent: sql.insertIfAbsent(shape)
      case .update: sql.update(shape, at: everyColumn)
      case .delete: sql.delete
      }
    let statement = try connection.prepare(text)
    prepared[use.rawValue] = statement
    return statement
  }

  /// Frees the statements and resets the counts; the statements are prepared again when they are needed.
  func close() {
    prepared = Array(repeating: nil, count: Use.allCases.count)
    (narrowUpdates, latestUpdate, changes, statements) = ([:], nil, TableChanges(), 0)
  }

  // MARK: Rows

  /// Inserts or updates a row; `values` are borrowed for the call.
  package func upsert(_ values: [BorrowedValue]) throws -> RowOutcome {
    try prepare(values)
    if !expectsKnownKeys, try insertIfAbsent() { return .inserted }
    guard try find() else {
      expectsKnownKeys = false
      return try insertIfFree()
    }
    expectsKnownKeys = true
    let find = try statement(.find)
    defer { find.rewind() }
    return try overwrite(FoundRow(find, columns))
  }

  /// Like ``upsert(_:)``, but a new row is inserted without a look-up; throws if its key exists.
  func write(_ values: [BorrowedValue], isNew: Bool) throws -> RowOutcome {
    guard isNew else { return try upsert(values) }
    try prepare(values)
    try insertPrepared()
    try noteInsertion()
    return .inserted
  }

  /// Deletes the row with this key. A missing row is not an error, because deltas describe states, not events.
  func delete(key: [BorrowedValue]) throws {
    row = key
    try fit(key: &row)
    if try remove(key: row) { changes.deleted += 1 }
  }

  /// Sets the columns at `positions` of the row with this key, and passes the outcome to `note` while ``row`` is valid.
  func update(
    _ key: [BorrowedValue], _ values: ArraySlice<BorrowedValue>, at positions: [Int],
    _ note: (RowOutcome) -> Void
  ) throws {
    guard try find(key) else { throw missing(key) }
    let find = try statement(.find)
    defer { find.rewind() }
    note(try update(FoundRow(find, columns), values, at: positions))
  }

  /// Sets the columns at `positions` of the found row. ``row`` is valid as long as the found row.
  func update(
    _ found: borrowing FoundRow, _ values: ArraySlice<BorrowedValue>, at positions: [Int]
  ) throws -> RowOutcome {
    found.read(into: &old)
    row.removeAll(keepingCapacity: true)
    if old.contains(where: Self.isLong) || values.contains(where: Self.isLong) {
      // ``overwrite(readBy:)`` rewinds the statement of a row with long values, which frees the found row.
      stored.clear()
      for value in old { row.append(stored.copy(value)) }
    } else {
      row += old
    }
    for (position, value) in zip(positions, values) { row[position] = value }
    try fitter.fit(&row, to: shape.affinities)
    return try overwrite(readBy: found.statement)
  }

  func missing(_ key: [BorrowedValue]) -> ImportError {
    .missingRow(table: table.name, key: rowDescription(table.keyNames, key.map(\.owned)))
  }

  func fit(key: inout [BorrowedValue]) throws { try fitter.fit(&key, to: keyAffinities) }

  func prepare(_ values: [BorrowedValue]) throws {
    row = values
    try fitter.fit(&row, to: shape.affinities)
    // SQLite accepts NULL in a rowid table's primary key and generates a value for an INTEGER PRIMARY KEY.
    for position in shape.key where row[position].isNull {
      throw ImportError.nullInKey(table: table.name, column: table.columns[shape.columns[position]].name)
    }
  }

  /// Also returns false if a constraint is violated, because a row with the key may exist.
  private func insertIfAbsent() throws -> Bool {
    if let error = try attempt(.insertIfAbsent) {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      return false
    }
    guard connection.changes > 0 else { return false }
    try noteInsertion()
    return true
  }

  func insertIfFree() throws -> RowOutcome {
    guard try isFree(try attempt(.insert)) else { return .taken }
    try noteInsertion()
    return .inserted
  }

  private func noteInsertion() throws {
    try noteRow()
    changes.inserted += 1
  }

  func overwrite(_ found: borrowing FoundRow) throws -> RowOutcome {
    if rule == .keep { return unchanged() }
    found.read(into: &old)
    return try overwrite(readBy: found.statement)
  }

  /// Writes ``row`` over ``old``.
  private func overwrite(readBy found: Statement) throws -> RowOutcome {
    compare()
    if differing.isEmpty { return unchanged() }
    if rule == .fail { throw constraint("a row with this key already exists") }
    let oldHash = sum == nil ? nil : hasher.hash(lent: old)
    let watched = try watch?.before(old)
    // Drops a long old row, which SQLite would otherwise keep in memory together with the new one. Batches never
    // contain such rows.
    if row.contains(where: Self.isLong) { found.rewind() }
    guard try isFree(try change()) else { return .taken }
    if let oldHash {
      sum?.remove(oldHash)
      sum?.insert(hasher.hash(lent: row))
    }
    changes.updated += 1
    if let watched { try watch?.noteUpdate(watched, row) }
    return .updated
  }

  func unchanged() -> RowOutcome {
    changes.unchanged += 1
    return .unchanged
  }

  private static func isLong(_ value: BorrowedValue) -> Bool { value.byteCount > longBytes }

  private func compare() {
    differing.removeAll(keepingCapacity: true)
    for position in old.indices where !BorrowedValue.same(old[position], row[position]) {
      differing.append(position)
    }
  }

  /// Sets only the differing columns, because SQLite rewrites each index over a column that is set, even to the same
  /// value.
  private func change() throws -> DatabaseError? {
    statements += 1
    let narrow = try narrowUpdate()
    let update = try narrow ?? statement(.update)
    var parameter: Int32 = 0
    for position in narrow == nil ? everyColumn : differing {
      parameter += 1
      try update.lend(row[position], at: parameter)
    }
    for position in shape.key {
      parameter += 1
      try update.lend(row[position], at: parameter)
    }
    return update.attempt()
  }

  /// Returns nil if all columns differ, or if the cache of partial updates is full.
  private func narrowUpdate() throws -> Statement? {
    if let latestUpdate, latestUpdate.positions == differing { return latestUpdate.statement }
    let known = narrowUpdates[differing]
    guard known != nil || differing.count < columns.count && narrowUpdates.count < Self.mostNarrowUpdates
    else { return nil }
    let update = try known ?? connection.prepare(TableSQL(table).update(shape, at: differing))
    narrowUpdates[differing] = update
    latestUpdate = (differing, update)
    return update
  }

  package func stored(_ values: [BorrowedValue]) throws -> [SeedValue]? {
    try prepare(values)
    let find = try statement(.find)
    defer { find.rewind() }
    guard try self.find() else { return nil }
    return table.columns.indices.map { find.borrow(Int32($0)).owned }
  }

  /// Restores earlier counts after a rollback of the rows.
  package func restore(_ earlier: TableChanges) { changes = earlier }

  // MARK: Swapping unique values: first removes (lifts) all affected rows, then inserts (places) each

  /// Temporarily removes the row with this row's key and returns it; nil if it is missing.
  func lift(_ values: [BorrowedValue]) throws -> [SeedValue]? {
    guard let old = try stored(values) else { return nil }
    _ = try remove(key: shape.key.map { row[$0] })
    return old
  }

  /// Inserts a whole row, replacing the lifted row with the same key, if any.
  func place(_ values: [BorrowedValue], over old: [SeedValue]?) throws {
    try prepare(values)
    try insertPrepared()
    guard let old else { return try noteInsertion() }
    try noteRow()
    if old == row.map(\.owned) { changes.unchanged += 1 } else { changes.updated += 1 }
  }

  /// The row that ``upsert(_:)`` would write over a stored one, as values by column. The value is nil for a column
  /// that gets the schema's default.
  package func filled(_ values: [BorrowedValue], over old: [SeedValue]?) throws -> [SeedValue?] {
    try prepare(values)
    var filled: [SeedValue?] = old ?? Array(repeating: nil, count: table.columns.count)
    let taken = old == nil ? shape.columns[...] : shape.columns.prefix(shape.updated)
    for (position, column) in taken.enumerated() { filled[column] = row[position].owned }
    return filled
  }

  var takenError: ImportError { constraint(takenMessage) }

  private func constraint(_ message: String) -> ImportError {
    .constraint(table: table.name, key: keyDescription, message: message)
  }

  // MARK: Rows of a batch

  func noteInsertions(_ rows: LentRows) throws {
    changes.inserted += rows.count
    guard sum != nil || watch != nil else { return }
    for number in 0..<rows.count {
      sum?.insert(hasher.hash(lent: rows[number]))
      try watch?.noteInsertion(rows[number])
    }
  }

  // MARK: Statements

  private func find() throws -> Bool { try find(shape.key.lazy.map { self.row[$0] }) }

  private func find(_ key: some Sequence<BorrowedValue>) throws -> Bool {
    statements += 1
    let find = try statement(.find)
    find.rewind()
    for (index, value) in key.enumerated() { try find.lend(value, at: Int32(index + 1)) }
    return try find.step()
  }

  private func remove(key: [BorrowedValue]) throws -> Bool {
    let find = try statement(.find)
    defer { find.rewind() }
    guard try self.find(key) else { return false }
    if sum != nil || watch != nil { FoundRow(find, columns).read(into: &old) }
    if sum != nil { sum?.remove(hasher.hash(lent: old)) }
    let watched = try watch?.before(old)
    statements += 1
    let delete = try statement(.delete)
    for (index, value) in key.enumerated() { try delete.lend(value, at: Int32(index + 1)) }
    if let error = delete.attempt() { throw error }
    if let watched { try watch?.noteDeletion(watched) }
    return true
  }

  /// Returns false if another row holds a unique value, and throws any other error.
  private func isFree(_ error: DatabaseError?) throws -> Bool {
    guard let error else { return true }
    if table.hasOtherUnique, ResultCode.taken.contains(error.code) {
      takenMessage = error.message
      return false
    }
    throw refusal(error)
  }

  private func insertPrepared() throws {
    if let error = try attempt(.insert) { throw refusal(error) }
  }

  private func refusal(_ error: DatabaseError) -> any Error {
    error.primaryCode == ResultCode.constraint ? constraint(error.message) : error
  }

  private func attempt(_ use: Use) throws -> DatabaseError? {
    statements += 1
    let (statement, row) = (try statement(use), row)
    for index in row.indices { try statement.lend(row[index], at: Int32(index + 1)) }
    return statement.attempt()
  }

  /// Adds the new row to the sum. In a table with a sum, rows are always written whole.
  private func noteRow() throws {
    if sum != nil { sum?.insert(hasher.hash(lent: row)) }
    if let watch { try row.withUnsafeBufferPointer { try watch.noteInsertion($0) } }
  }

  private var keyDescription: String { rowDescription(table.keyNames, shape.key.map { row[$0].owned }) }
}

/// The description of a row in messages, such as `id = 7, kind = stop`.
package func rowDescription(_ names: [String], _ values: [SeedValue]) -> String {
  zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ").printable
}
