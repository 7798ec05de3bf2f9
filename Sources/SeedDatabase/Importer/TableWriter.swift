package import SeedFormat

/// Writes rows of one table and keeps its sum.
///
/// A row is looked up by its key, compared by its canonical bytes, and written only where it differs. A row
/// whose unique value is held by another row of the same import is set aside until the others are done.
final class TableWriter {
  let table: TableSchema
  private(set) var sum: TableSum
  private(set) var changes = TableChanges()
  private var contested: [[SeedValue]] = []
  private let fitter: AffinityFitter
  private var hasher = RowHasher()
  private let find: Statement
  private let add: Statement
  private let update: Statement
  private let delete: Statement

  init(_ table: TableSchema, _ sum: TableSum, _ connection: Connection, _ fitter: AffinityFitter) throws {
    self.table = table
    self.sum = sum
    self.fitter = fitter
    let sql = TableSQL(table)
    find = try connection.prepare(sql.find)
    add = try connection.prepare(sql.insert)
    update = try connection.prepare(sql.update)
    delete = try connection.prepare(sql.delete)
  }

  /// Makes the row with this key equal to `row`.
  func upsert(_ row: [SeedValue]) throws {
    let row = try fitter.fit(row, to: table)
    try refuseNull(row)
    guard let old = try current(table.keyValues(of: row)) else { return try insertOrSetAside(row) }
    guard old != row else {
      changes.unchanged += 1
      return
    }
    guard try attempt(update, row + table.keyValues(of: row)) else {
      contested.append(row)
      return
    }
    sum.remove(hasher.hash(old))
    sum.insert(hasher.hash(row))
    changes.updated += 1
  }

  /// Adds a row without looking for its key first.
  func insert(_ row: [SeedValue]) throws {
    let row = try fitter.fit(row, to: table)
    try refuseNull(row)
    _ = try attempt(add, row, isLast: true)
    sum.insert(hasher.hash(row))
    changes.inserted += 1
  }

  /// Takes the row with this key away; one that is not there is fine, for deltas tell states, not events.
  func delete(key: [SeedValue]) throws {
    let key = try zip(key, table.key).map { try fitter.fit($0, to: table.columns[$1].affinity) }
    guard let old = try current(key) else { return }
    try remove(old)
    changes.deleted += 1
  }

  /// Writes the rows that were set aside: first all of them go, then all of them come.
  func resolveContested() throws {
    let rows = contested
    contested = []
    var replaced = 0
    for row in rows {
      guard let old = try current(table.keyValues(of: row)) else { continue }
      try remove(old)
      replaced += 1
    }
    for row in rows {
      guard try attempt(add, row, isLast: true) else { continue }
      sum.insert(hasher.hash(row))
    }
    changes.updated += replaced
    changes.inserted += rows.count - replaced
  }

  private func insertOrSetAside(_ row: [SeedValue]) throws {
    guard try attempt(add, row) else {
      contested.append(row)
      return
    }
    sum.insert(hasher.hash(row))
    changes.inserted += 1
  }

  private func remove(_ old: [SeedValue]) throws {
    try delete.run(table.keyValues(of: old))
    sum.remove(hasher.hash(old))
  }

  private func current(_ key: [SeedValue]) throws -> [SeedValue]? {
    try find.bind(key)
    defer { find.reset() }
    return try find.step() ? try find.row() : nil
  }

  /// False where another row holds a unique value and this row may be set aside.
  private func attempt(_ statement: Statement, _ values: [SeedValue], isLast: Bool = false) throws -> Bool {
    do {
      try statement.run(values)
      return true
    } catch  where error.primaryCode == ResultCode.constraint {
      statement.reset()
      if !isLast, table.hasOtherUnique, ResultCode.taken.contains(error.code) { return false }
      throw ImportError.constraint(
        table: table.name, key: describe(table.keyValues(of: values)), message: error.message)
    }
  }

  /// SQLite lets a primary key of a rowid table be NULL, and invents a value for an INTEGER PRIMARY KEY.
  private func refuseNull(_ row: [SeedValue]) throws(ImportError) {
    for index in table.key where row[index] == .null {
      throw ImportError.nullInKey(table: table.name, column: table.columns[index].name)
    }
  }

  private func describe(_ key: [SeedValue]) -> String { rowDescription(table.keyNames, key) }
}

/// `id = 7, kind = stop`: how a message names a row.
package func rowDescription(_ names: [String], _ values: [SeedValue]) -> String {
  zip(names, values).map { "\($0) = \($1)" }.joined(separator: ", ")
}
