package import SeedFormat

/// Writes rows of one table and shape and maintains the table's sum, if any. Writes a row only if its canonical bytes
/// differ from the stored row with its key. Whether the look-up or the insertion goes first depends on the previous
/// row, because in most imports all rows are new or all exist.
package final class TableWriter {
  let table: TableSchema
  package let shape: RowShape
  /// Nil if the database keeps no sums.
  @exclusivity(unchecked) private(set) var sum: TableSum?
  @exclusivity(unchecked) package private(set) var changes = TableChanges()
  @exclusivity(unchecked) package private(set) var statements = 0
  /// SQLite's message about the unique value that was last taken.
  package private(set) var takenMessage = ""
  private let rule: ConflictRule
  private let fitter: AffinityFitter
  private let connection: Connection
  private let runsTriggers: Bool
  private let sql: Statements
  private let columns: [Int32]
  let watch: RowWatch?
  private var hasher = RowHasher()
  @exclusivity(unchecked) private(set) var row: [BorrowedValue] = []
  @exclusivity(unchecked) private var scratch: [BorrowedValue] = []
  @exclusivity(unchecked) private var expectsKnownKeys = true
  private let layout: TableLayout
  /// Keyed by the positions that they set.
  private var narrowUpdates: [[Int]: Statement] = [:]

  /// The most partial updates that are cached; further combinations update whole rows.
  private static let mostNarrowUpdates = 32

  /// Texts and blobs above this size should not be in memory twice.
  private static let longBytes = 1 << 20

  private struct Statements {
    let find, insert, insertIfAbsent, insertWhole, update, delete: Statement

    init(_ layout: TableLayout, _ shape: RowShape, _ connection: Connection) throws(DatabaseError) {
      let sql = TableSQL(layout)
      find = try connection.prepare(sql.find)
      insert = try connection.prepare(sql.insert(shape))
      insertIfAbsent = try connection.prepare(sql.insertIfAbsent(shape))
      insertWhole = shape.isWhole ? insert : try connection.prepare(sql.insert)
      update = try connection.prepare(sql.update(shape))
      delete = try connection.prepare(sql.delete)
    }
  }

  /// A writer for a database without sums. With `runsTriggers`, a row that a trigger rejects leaves no changes, and
  /// triggers run only for rows that are written.
  package convenience init(
    _ table: TableSchema, _ shape: RowShape, _ connection: Connection, _ fitter: AffinityFitter,
    rule: ConflictRule, runsTriggers: Bool
  ) throws {
    try self.init(TableLayout(table), shape, connection, fitter, rule, runsTriggers: runsTriggers)
  }

  init(
    _ layout: TableLayout, _ shape: RowShape, _ connection: Connection, _ fitter: AffinityFitter,
    _ rule: ConflictRule, _ sum: TableSum? = nil, _ watch: RowWatch? = nil, runsTriggers: Bool = false
  ) throws {
    table = layout.stored
    self.layout = layout
    (self.shape, self.sum, self.rule, self.watch) = (shape, sum, rule, watch)
    self.runsTriggers = runsTriggers
    (self.connection, self.fitter) = (connection, fitter)
    columns = shape.columns.map { Int32($0) }
    sql = try Statements(layout, shape, connection)
  }

  // MARK: Rows

  /// Inserts or updates a row; `values` are borrowed for the call.
  @discardableResult
  package func upsert(_ values: [BorrowedValue]) throws -> RowOutcome {
    try prepare(values)
    // BEFORE triggers of an insertion run even if the key then proves to exist.
    if !expectsKnownKeys, !runsTriggers, try insertIfAbsent() { return .inserted }
    guard try find() else {
      expectsKnownKeys = false
      return try insertIfFree()
    }
    expectsKnownKeys = true
    defer { sql.find.rewind() }
    return try overwrite(FoundRow(sql.find, columns))
  }

  /// Inserts a row without a look-up; throws if its key exists.
  func insert(_ values: [BorrowedValue]) throws {
    try prepare(values)
    try run(sql.insert)
    try noteInsertion()
  }

  /// Deletes the row with this key. A missing row is no error, because deltas describe states, not events.
  func delete(key: [BorrowedValue]) throws {
    row = key
    try fitter.fit(&row, to: table.key.map { table.columns[$0].affinity })
    if try remove(key: row) { changes.deleted += 1 }
  }

  func prepare(_ values: [BorrowedValue]) throws {
    row = values
    try fitter.fit(&row, to: shape.affinities)
    // SQLite accepts NULL in a rowid table's primary key and generates a value for an INTEGER PRIMARY KEY.
    for position in shape.key where row[position].isNull {
      throw ImportError.nullInKey(table: table.name, column: table.columns[shape.columns[position]].name)
    }
  }

  /// Also returns false for a constraint violation, because the key may exist.
  private func insertIfAbsent() throws -> Bool {
    if let error = try attempt(sql.insertIfAbsent) {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      return false
    }
    guard connection.changes > 0 else { return false }
    try noteInsertion()
    return true
  }

  func insertIfFree() throws -> RowOutcome {
    guard try isFree(try attempt(sql.insert)) else { return .taken }
    try noteInsertion()
    return .inserted
  }

  private func noteInsertion() throws {
    try noteRow()
    changes.inserted += 1
  }

  func overwrite(_ found: borrowing FoundRow) throws -> RowOutcome {
    if rule == .keep || found.holds(row) {
      changes.unchanged += 1
      return .unchanged
    }
    if rule == .fail { throw keyIsThere() }
    let old = sum == nil ? nil : hasher.hash(lent: read(found))
    let watched = try watch?.before(read(found))
    let differing = sum == nil ? [] : found.differing(from: row)
    // Otherwise SQLite would hold the old row beside the new one. Batches never contain such long rows.
    if row.contains(where: { $0.byteCount > Self.longBytes }) { found.statement.rewind() }
    guard try isFree(try change(differing)) else { return .taken }
    if let old {
      sum?.remove(old)
      sum?.insert(hasher.hash(lent: row))
    }
    changes.updated += 1
    if let watched { try watch?.noteUpdate(watched, row) }
    return .updated
  }

  /// Sets only the differing columns, because SQLite rewrites each index over a column that is set, even to the same
  /// value. If an app's triggers run, all columns are set, because a trigger may depend on any of them.
  private func change(_ differing: [Int]) throws -> DatabaseError? {
    guard let update = try narrowUpdate(differing) else { return try attempt(sql.update, withKey: true) }
    statements += 1
    for (index, position) in (differing + shape.key).enumerated() {
      try update.lend(row[position], at: Int32(index + 1))
    }
    return update.attempt()
  }

  private func narrowUpdate(_ differing: [Int]) throws -> Statement? {
    if let known = narrowUpdates[differing] { return known }
    guard !differing.isEmpty, differing.count < row.count, narrowUpdates.count < Self.mostNarrowUpdates else {
      return nil
    }
    let update = try connection.prepare(TableSQL(layout).update(shape, at: differing))
    narrowUpdates[differing] = update
    return update
  }

  private func read(_ found: borrowing FoundRow) -> [BorrowedValue] {
    scratch.removeAll(keepingCapacity: true)
    for column in table.columns.indices {
      scratch.append(found.statement.borrow(found.first + Int32(column)))
    }
    return scratch
  }

  package func contains(_ values: [BorrowedValue]) throws -> Bool {
    try prepare(values)
    defer { sql.find.rewind() }
    return try find()
  }

  package func stored(_ values: [BorrowedValue]) throws -> [SeedValue]? {
    try prepare(values)
    defer { sql.find.rewind() }
    return try find() ? read(FoundRow(sql.find, columns)).map(\.owned) : nil
  }

  /// Restores earlier counts after a rollback of the rows.
  package func restore(_ earlier: TableChanges) { changes = earlier }

  // MARK: Swapping unique values: first all affected rows are lifted, then each is placed

  /// Temporarily removes the row with this row's key and returns it; nil if it is missing.
  func lift(_ values: [BorrowedValue]) throws -> [SeedValue]? {
    try prepare(values)
    defer { sql.find.rewind() }
    guard try find() else { return nil }
    let old = read(FoundRow(sql.find, columns)).map(\.owned)
    _ = try remove(key: shape.key.map { row[$0] })
    return old
  }

  private func putBack(_ old: [SeedValue]) throws {
    try LentBytes.lending(old) {
      row = $0
      try run(sql.insertWhole, isWhole: true)
      try noteRow()
    }
  }

  /// Inserts a row with a new key, taking unlisted columns from the lifted row of that key, if any.
  func place(_ values: [BorrowedValue], over old: [SeedValue]?) throws -> RowOutcome {
    try prepare(values)
    guard let old else {
      try run(sql.insert)
      try noteInsertion()
      return .inserted
    }
    var merged = old
    for (position, column) in shape.columns.enumerated() { merged[column] = row[position].owned }
    if rule == .keep || merged == old {
      try putBack(old)
      changes.unchanged += 1
      return .unchanged
    }
    guard rule == .overwrite else { throw keyIsThere() }
    try putBack(merged)
    changes.updated += 1
    return .updated
  }

  /// The row as ``place(_:over:)`` would write it, by column; nil for a column that gets the schema's default.
  package func filled(_ values: [BorrowedValue], over old: [SeedValue]?) throws -> [SeedValue?] {
    try prepare(values)
    var filled: [SeedValue?] = old ?? Array(repeating: nil, count: table.columns.count)
    for (position, column) in shape.columns.enumerated() { filled[column] = row[position].owned }
    return filled
  }

  private func keyIsThere() -> ImportError {
    .constraint(table: table.name, key: describeKey(shape.key), message: "a row with this key already exists")
  }

  // MARK: Rows of a batch

  func noteInsertions(_ rows: UnsafeBufferPointer<BorrowedValue>, count: Int) throws {
    let width = table.columns.count
    for number in 0..<count {
      let row = UnsafeBufferPointer(rebasing: rows[number * width..<(number + 1) * width])
      sum?.insert(hasher.hash(lent: row))
      if let watch { try watch.noteInsertion(row) }
    }
    changes.inserted += count
    statements += 1
  }

  func noteUnchanged() { changes.unchanged += 1 }

  // MARK: Statements

  private func find() throws -> Bool { try find(shape.key.lazy.map { self.row[$0] }) }

  private func find(_ key: some Sequence<BorrowedValue>) throws -> Bool {
    statements += 1
    sql.find.rewind()
    for (index, value) in key.enumerated() { try sql.find.lend(value, at: Int32(index + 1)) }
    return try sql.find.step()
  }

  private func remove(key: [BorrowedValue]) throws -> Bool {
    defer { sql.find.rewind() }
    guard try find(key) else { return false }
    let found = FoundRow(sql.find, columns)
    if sum != nil { sum?.remove(hasher.hash(lent: read(found))) }
    let watched = try watch?.before(read(found))
    statements += 1
    for (index, value) in key.enumerated() { try sql.delete.lend(value, at: Int32(index + 1)) }
    if let error = sql.delete.attempt() { throw error }
    if let watched { try watch?.noteDeletion(watched) }
    return true
  }

  /// Returns false if another row holds a unique value.
  private func isFree(_ error: DatabaseError?) throws -> Bool {
    guard let error else { return true }
    if table.hasOtherUnique, ResultCode.taken.contains(error.code) {
      takenMessage = error.message
      return false
    }
    throw refusal(error, key: shape.key)
  }

  private func run(_ statement: Statement, isWhole: Bool = false) throws {
    if let error = try attempt(statement) { throw refusal(error, key: isWhole ? table.key : shape.key) }
  }

  private func refusal(_ error: DatabaseError, key: [Int]) -> any Error {
    guard error.primaryCode == ResultCode.constraint else { return error }
    if error.code == ResultCode.trigger {
      return ImportError.trigger(table: table.name, key: describeKey(key), message: error.message)
    }
    return ImportError.constraint(table: table.name, key: describeKey(key), message: error.message)
  }

  private func attempt(_ statement: Statement, withKey: Bool = false) throws -> DatabaseError? {
    statements += 1
    let row = row
    for index in row.indices { try statement.lend(row[index], at: Int32(index + 1)) }
    if withKey {
      for (index, position) in shape.key.enumerated() {
        try statement.lend(row[position], at: Int32(row.count + index + 1))
      }
    }
    return try runsTriggers ? attemptWhole(statement) : statement.attempt()
  }

  /// In a savepoint, because RAISE(FAIL) keeps earlier changes; RAISE(IGNORE), which reports no error, becomes one.
  private func attemptWhole(_ statement: Statement) throws -> DatabaseError? {
    try connection.cached("SAVEPOINT seedbank_row").run()
    var error = statement.attempt()
    guard connection.isInTransaction else {
      throw ImportError.rolledBack(table: table.name, message: error?.message ?? "")
    }
    if error == nil, connection.changes == 0 {
      error = DatabaseError(
        code: ResultCode.trigger, message: "it leaves the row out", subject: statement.sql)
    }
    if error != nil { try connection.cached("ROLLBACK TO seedbank_row").run() }
    try connection.cached("RELEASE seedbank_row").run()
    return error
  }

  /// Adds the new row to the sum; tables with a sum have whole rows.
  private func noteRow() throws {
    if sum != nil { sum?.insert(hasher.hash(lent: row)) }
    if let watch { try row.withUnsafeBufferPointer { try watch.noteInsertion($0) } }
  }

  private func describeKey(_ positions: [Int]) -> String {
    rowDescription(table.keyNames, positions.map { row[$0].owned })
  }
}

/// A row's name in messages, such as `id = 7, kind = stop`.
package func rowDescription(_ names: [String], _ values: [SeedValue]) -> String {
  zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ")
}
