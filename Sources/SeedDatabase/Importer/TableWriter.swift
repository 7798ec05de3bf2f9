package import SeedFormat

/// Writes rows of one table and shape, and keeps the table's sum where it has one.
///
/// A row is compared with the one that has its key by their canonical bytes, and written only where it
/// differs. Which is tried first, the look-up or the insertion, follows the row before: imports are mostly
/// all new or all known. A row whose unique value is held by another row of the same import is set aside
/// until the others are done.
package final class TableWriter {
  /// The table by the names that it has in the file.
  let table: TableSchema
  package let shape: RowShape
  /// Absent where the database keeps no sums.
  @exclusivity(unchecked) private(set) var sum: TableSum?
  @exclusivity(unchecked) package private(set) var changes = TableChanges()
  @exclusivity(unchecked) package private(set) var statements = StatementCounts()
  private let rule: ConflictRule
  private let fitter: AffinityFitter
  private let sql: StatementSet
  private let watch: RowWatch?
  private var hasher = RowHasher()
  private var setAside: [SetAside] = []
  /// The row in hand.
  @exclusivity(unchecked) private(set) var row: [BorrowedValue] = []
  @exclusivity(unchecked) private var scratch: [BorrowedValue] = []
  @exclusivity(unchecked) private var expectsKnownKeys = true

  /// A row that waits, with all its columns where it replaces another.
  private struct SetAside {
    let values: [SeedValue]
    let isWhole: Bool
  }

  /// A writer of rows of that shape; without a sum where the database keeps none.
  package convenience init(
    _ table: TableSchema, _ shape: RowShape, _ sum: TableSum?, _ connection: Connection,
    _ fitter: AffinityFitter,
    rule: ConflictRule = .overwrite
  ) throws {
    try self.init(TableLayout(table), shape, sum, connection, fitter, rule, nil)
  }

  /// A writer of whole rows, wherever their table lies in the file.
  convenience init(
    _ layout: TableLayout, _ sum: TableSum?, _ connection: Connection, _ fitter: AffinityFitter,
    _ watch: RowWatch?
  ) throws {
    let shape = RowShape(whole: layout.stored)
    try self.init(layout, shape, sum, connection, fitter, .overwrite, watch)
  }

  private init(
    _ layout: TableLayout, _ shape: RowShape, _ sum: TableSum?, _ connection: Connection,
    _ fitter: AffinityFitter, _ rule: ConflictRule, _ watch: RowWatch?
  ) throws {
    table = layout.stored
    self.shape = shape
    self.sum = sum
    self.fitter = fitter
    self.rule = rule
    self.watch = watch
    sql = try StatementSet(layout, shape, findsWhole: sum != nil || !shape.isWhole, connection)
  }

  // MARK: Rows

  /// Makes the listed columns of the row with this key equal to `values`, which are lent for the call.
  @discardableResult
  package func upsert(_ values: [BorrowedValue]) throws -> RowOutcome {
    try prepare(values)
    if !expectsKnownKeys, try insertIfAbsent() { return .inserted }
    guard try find() else {
      expectsKnownKeys = false
      return try insertOrSetAside()
    }
    expectsKnownKeys = true
    defer { sql.find.rewind() }
    return try overwrite(FoundRow(sql.find, sql.foundColumns))
  }

  /// Adds a row without looking for its key first; one that is there is an error.
  func insert(_ values: [BorrowedValue]) throws {
    try prepare(values)
    _ = try attempt(sql.insert, isLast: true)
    try noteInsertion()
  }

  /// Takes the row with this key away; one that is not there is fine, for deltas tell states, not events.
  @discardableResult
  func delete(key: [BorrowedValue]) throws -> Bool {
    row = key
    try fitter.fit(&row, to: table.key.map { table.columns[$0].affinity })
    guard try remove(key: row) else { return false }
    changes.deleted += 1
    return true
  }

  /// Takes a row in hand, as the table would store it.
  func prepare(_ values: [BorrowedValue]) throws {
    row = values
    try fitter.fit(&row, to: shape.affinities)
    // SQLite lets a primary key of a rowid table be NULL, and invents a value for an INTEGER PRIMARY KEY.
    for position in shape.key where row[position].isNull {
      throw ImportError.nullInKey(table: table.name, column: table.columns[shape.columns[position]].name)
    }
  }

  /// False also for a row that SQLite refuses: as an insertion, though its key may be there.
  private func insertIfAbsent() throws -> Bool {
    statements.writes += 1
    if let error = run(sql.insertIfAbsent, withKey: false) {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      return false
    }
    guard sql.didChange else { return false }
    try noteInsertion()
    return true
  }

  /// Writes the row in hand, whose key is new.
  func insertOrSetAside() throws -> RowOutcome {
    guard try attempt(sql.insert) else {
      setAside.append(SetAside(values: row.map(\.owned), isWhole: false))
      return .setAside
    }
    try noteInsertion()
    return .inserted
  }

  private func noteInsertion() throws {
    try addToSum()
    changes.inserted += 1
    if let watch { try row.withUnsafeBufferPointer { try watch.noteInsertion($0) } }
  }

  /// Writes the row in hand over the found one, if they differ.
  func overwrite(_ found: borrowing FoundRow) throws -> RowOutcome {
    if rule == .keep || found.holds(row) {
      changes.unchanged += 1
      return .unchanged
    }
    if rule == .fail { throw keyIsThere() }
    let old = sum == nil ? nil : hasher.hash(lent: read(found))
    let merged = table.hasOtherUnique ? mergedRow(found) : []
    let watched = try watch?.before(read(found))
    guard try attempt(sql.update, withKey: true) else {
      setAside.append(SetAside(values: merged, isWhole: true))
      return .setAside
    }
    if let old {
      sum?.remove(old)
      try addToSum()
    }
    changes.updated += 1
    if let watched { try watch?.noteUpdate(watched, row) }
    return .updated
  }

  /// Every stored column of the found row, in declared order.
  private func read(_ found: borrowing FoundRow) -> [BorrowedValue] {
    scratch.removeAll(keepingCapacity: true)
    for column in table.columns.indices {
      scratch.append(found.statement.borrow(found.first + sql.foundColumn(declared: column)))
    }
    return scratch
  }

  /// The found row with the new values in it, kept: setting a row aside must not lose what it does not list.
  private func mergedRow(_ found: borrowing FoundRow) -> [SeedValue] {
    var merged = read(found).map(\.owned)
    for (position, column) in shape.columns.enumerated() { merged[column] = row[position].owned }
    return merged
  }

  /// Whether the table has a row with this row's key.
  package func contains(_ values: [BorrowedValue]) throws -> Bool {
    try prepare(values)
    defer { sql.find.rewind() }
    return try find()
  }

  /// Whether writing these values would change nothing.
  package func isSettled(_ values: [BorrowedValue]) throws -> Bool {
    try prepare(values)
    defer { sql.find.rewind() }
    return try find() && (rule == .keep || FoundRow(sql.find, sql.foundColumns).holds(row))
  }

  /// Goes back to earlier counts, for rows whose writing was rolled back.
  package func restore(_ earlier: TableChanges) { changes = earlier }

  // MARK: Rows that change places

  /// Takes the row with this row's key away for a while, with all its columns; `nil` where there is none.
  package func lift(_ values: [BorrowedValue]) throws -> [SeedValue]? {
    try prepare(values)
    defer { sql.find.rewind() }
    guard try find() else { return nil }
    let old = read(FoundRow(sql.find, sql.foundColumns)).map(\.owned)
    _ = try remove(key: shape.key.map { row[$0] })
    return old
  }

  /// Adds a lifted row as it was.
  package func putBack(_ old: [SeedValue]) throws {
    try lending(old) { _ = try attempt(sql.insertWhole, isLast: true, isWhole: true) }
  }

  /// Adds a row whose key is not there, in the place of a lifted one, if there was one, from which it takes what it
  /// does not list.
  package func place(_ values: [BorrowedValue], over old: [SeedValue]?) throws -> RowOutcome {
    try prepare(values)
    guard let old else {
      _ = try attempt(sql.insert, isLast: true)
      changes.inserted += 1
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

  private func keyIsThere() -> ImportError {
    .constraint(table: table.name, key: describeKey(), message: "a row has this key already")
  }

  // MARK: Rows that were set aside

  /// Forgets the rows that were set aside; their caller keeps them itself.
  package func dropSetAside() { setAside = [] }

  /// Writes the rows that were set aside: first all that they replace go, then all of them come.
  func resolveSetAside() throws {
    try removeSetAside()
    try insertSetAside()
  }

  /// Takes away the rows that those that were set aside replace.
  private func removeSetAside() throws {
    for item in setAside where item.isWhole {
      try lending(item.values) { _ = try remove(key: table.key.map { row[$0] }) }
      changes.updated += 1
    }
  }

  /// Writes the rows that were set aside, once what they replace is gone.
  private func insertSetAside() throws {
    let waiting = setAside
    setAside = []
    for item in waiting {
      let statement = item.isWhole ? sql.insertWhole : sql.insert
      try lending(item.values) {
        _ = try attempt(statement, isLast: true, isWhole: item.isWhole)
        try addToSum(isWhole: item.isWhole || shape.isWhole)
        if let watch { try row.withUnsafeBufferPointer { try watch.noteInsertion($0) } }
      }
      if !item.isWhole { changes.inserted += 1 }
    }
  }

  private func lending(_ values: [SeedValue], _ body: () throws -> Void) throws {
    var block = ByteBlock()
    row = block.lend(values)
    try body()
  }

  // MARK: Statements

  private func find() throws -> Bool {
    statements.lookups += 1
    sql.find.rewind()
    for index in shape.key.indices { try sql.find.lend(row[shape.key[index]], at: Int32(index + 1)) }
    return try sql.find.step()
  }

  private func find(key: [BorrowedValue]) throws -> Bool {
    statements.lookups += 1
    sql.find.rewind()
    for (index, value) in key.enumerated() { try sql.find.lend(value, at: Int32(index + 1)) }
    return try sql.find.step()
  }

  /// False where there is no row with that key.
  private func remove(key: [BorrowedValue]) throws -> Bool {
    defer { sql.find.rewind() }
    guard try find(key: key) else { return false }
    let found = FoundRow(sql.find, sql.foundColumns)
    if sum != nil { sum?.remove(hasher.hash(lent: read(found))) }
    let watched = try watch?.before(read(found))
    statements.writes += 1
    for (index, value) in key.enumerated() { try sql.delete.lend(value, at: Int32(index + 1)) }
    _ = try sql.delete.step()
    sql.delete.rewind()
    if let watched { try watch?.noteDeletion(watched) }
    return true
  }

  /// Takes note of whole rows that were inserted together.
  func noteInsertions(_ rows: UnsafeBufferPointer<BorrowedValue>, count: Int) throws {
    let width = table.columns.count
    for number in 0..<count {
      let row = UnsafeBufferPointer(rebasing: rows[number * width..<(number + 1) * width])
      sum?.insert(hasher.hash(lent: row))
      if let watch { try watch.noteInsertion(row) }
    }
    changes.inserted += count
    statements.writes += 1
  }

  /// Takes note of a row that was looked up with others and is as it should be.
  func noteUnchanged() { changes.unchanged += 1 }

  /// False where another row holds a unique value and this row may be set aside.
  private func attempt(
    _ statement: Statement, withKey: Bool = false, isLast: Bool = false, isWhole: Bool = false
  ) throws -> Bool {
    statements.writes += 1
    guard let error = run(statement, withKey: withKey) else { return true }
    guard error.primaryCode == ResultCode.constraint else { throw error }
    if !isLast, table.hasOtherUnique, ResultCode.taken.contains(error.code) { return false }
    throw ImportError.constraint(
      table: table.name, key: describeKey(isWhole: isWhole), message: error.message)
  }

  /// The error as a value: `catch where` on a typed throw crashes the compiler (6.3.1) in places like this.
  private func run(_ statement: Statement, withKey: Bool) -> DatabaseError? {
    defer { statement.rewind() }
    do throws(DatabaseError) {
      let row = row
      for index in row.indices { try statement.lend(row[index], at: Int32(index + 1)) }
      if withKey {
        for (index, position) in shape.key.enumerated() {
          try statement.lend(row[position], at: Int32(row.count + index + 1))
        }
      }
      _ = try statement.step()
      return nil
    } catch {
      return error
    }
  }

  /// Takes the row that was just written into the sum; one with defaults is read back first.
  private func addToSum(isWhole: Bool? = nil) throws {
    guard sum != nil else { return }
    if shape.isWhole {
      scratch.removeAll(keepingCapacity: true)
      for position in shape.declaredOrder { scratch.append(row[position]) }
      sum?.insert(hasher.hash(lent: scratch))
    } else if isWhole == true {
      sum?.insert(hasher.hash(lent: row))
    } else {
      guard try find() else { return }
      sum?.insert(hasher.hash(lent: read(FoundRow(sql.find, sql.foundColumns))))
      sql.find.rewind()
    }
  }

  private func describeKey(isWhole: Bool = false) -> String {
    let positions = isWhole ? table.key : shape.key
    return rowDescription(table.keyNames, positions.map { row[$0].owned })
  }
}

/// `id = 7, kind = stop`: how a message names a row.
package func rowDescription(_ names: [String], _ values: [SeedValue]) -> String {
  zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ")
}
