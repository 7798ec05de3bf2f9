import CSQLite
package import SeedFormat
import SeedSystem

/// A virtual table over rows in memory, with which one statement upserts hundreds of rows. The upsert's condition calls
/// a function that compares stored and new row by canonical equality instead of SQL's, so each row is looked up once.
package final class RowSupply {
  /// The table's name. Its columns are `c0`, `c1` and so on.
  package static let table = "seedbank_rows"
  /// The function's name. Its arguments are the stored row's values.
  package static let differs = "seedbank_differs"
  /// The table's column count; wider rows are written in another way.
  package static let mostColumns = 64

  // Freed by the module, because SQLite may access it as long as the connection has the table.
  private let rows: UnsafeMutablePointer<SuppliedRows>

  /// Registers table and function on a connection, replacing earlier ones.
  package init(_ connection: Connection) throws(DatabaseError) {
    rows = .allocate(capacity: 1)
    rows.initialize(to: SuppliedRows())
    let made = sqlite3_create_module_v2(connection.handle, Self.table, supplyModule, rows) {
      $0?.deallocate()
    }
    guard made == SQLITE_OK else { throw connection.error(made, Self.table) }
    let code = sqlite3_create_function_v2(
      connection.handle, Self.differs, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, rows, tellWhetherDifferent, nil,
      nil, nil)
    guard code == SQLITE_OK else { throw connection.error(code, Self.differs) }
  }

  /// Provides rows to the statements in `body`.
  package func lend<Result>(_ lent: SuppliedRows, _ body: () throws -> Result) rethrows -> Result {
    rows.pointee = lent
    defer { rows.pointee = SuppliedRows() }
    return try body()
  }
}

package struct SuppliedRows {
  var values: UnsafeMutablePointer<BorrowedValue>?
  var columns = 0
  var count = 0
  /// Receives each row's outcome; entries that stay unchanged are insertions.
  var outcomes: UnsafeMutablePointer<RowOutcome>?
  var rule = ConflictRule.overwrite
  fileprivate var current = 0

  package init() {}

  package init(
    values: UnsafeMutablePointer<BorrowedValue>, columns: Int, count: Int,
    outcomes: UnsafeMutablePointer<RowOutcome>?, rule: ConflictRule
  ) {
    (self.values, self.columns, self.count) = (values, columns, count)
    (self.outcomes, self.rule) = (outcomes, rule)
  }
}

/// A virtual table or cursor with its rows; SQLite's part comes first.
private struct Supplied<Base> {
  var base: Base
  let rows: UnsafeMutablePointer<SuppliedRows>

  static func make(_ base: Base, _ rows: UnsafeMutablePointer<SuppliedRows>) -> UnsafeMutablePointer<Base> {
    let made = UnsafeMutablePointer<Self>.allocate(capacity: 1)
    made.initialize(to: Self(base: base, rows: rows))
    return UnsafeMutableRawPointer(made).assumingMemoryBound(to: Base.self)
  }

  @inline(__always)
  static func rows(of base: UnsafeMutablePointer<Base>?) -> UnsafeMutablePointer<SuppliedRows> {
    // The pointer is one that `make` returned.
    UnsafeRawPointer(base.unsafelyUnwrapped).assumingMemoryBound(to: Self.self).pointee.rows
  }

  static func free(_ base: UnsafeMutablePointer<Base>?) -> Int32 {
    UnsafeMutableRawPointer(base)?.assumingMemoryBound(to: Self.self).deallocate()
    return SQLITE_OK
  }
}

private typealias SuppliedTable = Supplied<sqlite3_vtab>
private typealias SuppliedCursor = Supplied<sqlite3_vtab_cursor>

// SQLite keeps the address, so it must outlive every connection.
private nonisolated(unsafe) let supplyModule: UnsafePointer<sqlite3_module> = {
  var module = sqlite3_module()
  module.xConnect = { database, rows, _, _, made, _ in connectSupply(database, rows, made) }
  // Always a full scan in order; there are too few rows for anything else to pay off.
  module.xBestIndex = { _, plan in
    plan?.pointee.estimatedCost = 1
    plan?.pointee.estimatedRows = 1
    return SQLITE_OK
  }
  module.xDisconnect = { SuppliedTable.free($0) }
  module.xOpen = { table, opened in
    opened?.pointee = SuppliedCursor.make(sqlite3_vtab_cursor(), SuppliedTable.rows(of: table))
    return SQLITE_OK
  }
  module.xClose = { SuppliedCursor.free($0) }
  module.xFilter = { cursor, _, _, _, _ in
    SuppliedCursor.rows(of: cursor).pointee.current = 0
    return SQLITE_OK
  }
  module.xNext = { cursor in
    SuppliedCursor.rows(of: cursor).pointee.current &+= 1
    return SQLITE_OK
  }
  module.xEof = { cursor in
    let rows = SuppliedCursor.rows(of: cursor)
    return rows.pointee.current < rows.pointee.count ? 0 : 1
  }
  module.xColumn = suppliedColumn
  module.xRowid = { cursor, rowid in
    rowid?.pointee = Int64(SuppliedCursor.rows(of: cursor).pointee.current)
    return SQLITE_OK
  }
  let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  kept.initialize(to: module)
  return UnsafePointer(kept)
}()

private func connectSupply(
  _ database: OpaquePointer?, _ rows: UnsafeMutableRawPointer?,
  _ made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
) -> Int32 {
  guard let rows, let made else { return SQLITE_MISUSE }
  let columns = (0..<RowSupply.mostColumns).map { "c\($0)" }.joined(separator: ", ")
  let code = sqlite3_declare_vtab(database, "CREATE TABLE rows(\(columns))")
  guard code == SQLITE_OK else { return code }
  made.pointee = SuppliedTable.make(sqlite3_vtab(), rows.assumingMemoryBound(to: SuppliedRows.self))
  return SQLITE_OK
}

private func suppliedColumn(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: Int32
) -> Int32 {
  let rows = SuppliedCursor.rows(of: cursor)
  let place = rows.pointee.current &* rows.pointee.columns &+ Int(column)
  guard let values = rows.pointee.values, Int(column) < rows.pointee.columns else { return SQLITE_MISUSE }
  switch values[place] {
  case .null: sqlite3_result_null(context)
  case .integer(let value): sqlite3_result_int64(context, value)
  case .real(let value): sqlite3_result_double(context, value)
  case .text(let bytes):
    seedbank_sqlite_lend_result_text(
      context, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
  case .blob(let bytes) where bytes.isEmpty: sqlite3_result_zeroblob(context, 0)
  case .blob(let bytes): seedbank_sqlite_lend_result_blob(context, bytes.baseAddress, UInt64(bytes.count))
  }
  return SQLITE_OK
}

private func tellWhetherDifferent(
  _ context: OpaquePointer?, _ count: Int32, _ found: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let known = sqlite3_user_data(context), let found else {
    return sqlite3_result_error_code(context, SQLITE_MISUSE)
  }
  let rows = known.assumingMemoryBound(to: SuppliedRows.self)
  let (current, columns) = (rows.pointee.current, rows.pointee.columns)
  guard let values = rows.pointee.values, let outcomes = rows.pointee.outcomes, current < rows.pointee.count,
    Int(count) <= columns
  else { return sqlite3_result_error_code(context, SQLITE_MISUSE) }
  let row = values + current &* columns
  // Read as a blob: SQLite would copy a text to append a NUL.
  let isSame =
    rows.pointee.rule == .keep
    || (0..<Int(count)).allSatisfy { storedValue(found[$0], is: row[$0], text: { sqlite3_value_blob($0) }) }
  outcomes[current] = isSame ? .unchanged : .updated
  if !isSame, rows.pointee.rule == .fail { return sqlite3_result_error_code(context, SQLITE_CONSTRAINT) }
  sqlite3_result_int(context, isSame ? 0 : 1)
}
