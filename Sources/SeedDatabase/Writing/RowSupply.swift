import CSQLite
package import SeedFormat
import SeedSystem

/// Rows in memory as a table that SQLite reads, so that one statement takes in hundreds of them.
///
/// Beside the table there is a function for the upsert's condition: it is given what the row that is there
/// holds, and tells whether the row at hand differs. So each row is looked for once, and compared by our rules
/// of equality, not by SQL's.
package final class RowSupply {
  /// The table's name; its columns are `c0`, `c1` and so on.
  package static let table = "seedbank_rows"
  /// The function's name; its arguments are the values of the row that is there.
  package static let differs = "seedbank_differs"
  /// Columns that the table has; a wider row goes its own way.
  package static let mostColumns = 64

  // The module frees it: SQLite may look there as long as the connection knows the table.
  private let rows: UnsafeMutablePointer<SuppliedRows>

  /// Makes the table known to a connection, in place of one that was there.
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

  /// Lends rows to the statements that run in `body`.
  package func lend<Result>(_ lent: SuppliedRows, _ body: () throws -> Result) rethrows -> Result {
    rows.pointee = lent
    defer { rows.pointee = SuppliedRows() }
    return try body()
  }
}

/// What is lent, and how far it was read.
package struct SuppliedRows {
  /// The rows' values, one row after the other.
  var values: UnsafeMutablePointer<BorrowedValue>?
  var columns = 0
  var count = 0
  /// Where it is noted what becomes of each row: those that are not touched are new.
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

/// SQLite's own part stands first in both: it knows only that.
private struct SupplyTable {
  var base = sqlite3_vtab()
  let rows: UnsafeMutablePointer<SuppliedRows>
}

private struct SupplyCursor {
  var base = sqlite3_vtab_cursor()
  let rows: UnsafeMutablePointer<SuppliedRows>
}

// SQLite keeps the address: it must be there as long as any connection.
private nonisolated(unsafe) let supplyModule: UnsafePointer<sqlite3_module> = {
  var module = sqlite3_module()
  module.xConnect = connectSupply
  module.xBestIndex = planSupply
  module.xDisconnect = disconnectSupply
  module.xOpen = openSupply
  module.xClose = closeSupply
  module.xFilter = rewindSupply
  module.xNext = nextSupplied
  module.xEof = isSupplyAtEnd
  module.xColumn = suppliedColumn
  module.xRowid = suppliedRowid
  let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  kept.initialize(to: module)
  return UnsafePointer(kept)
}()

private func connectSupply(
  _ database: OpaquePointer?, _ rows: UnsafeMutableRawPointer?, _ count: Int32,
  _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  _ made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let rows, let made else { return SQLITE_MISUSE }
  let columns = (0..<RowSupply.mostColumns).map { "c\($0)" }.joined(separator: ", ")
  let code = sqlite3_declare_vtab(database, "CREATE TABLE rows(\(columns))")
  guard code == SQLITE_OK else { return code }
  let table = UnsafeMutablePointer<SupplyTable>.allocate(capacity: 1)
  table.initialize(to: SupplyTable(rows: rows.assumingMemoryBound(to: SuppliedRows.self)))
  made.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func disconnectSupply(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
  UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: SupplyTable.self).deallocate()
  return SQLITE_OK
}

/// Always all rows in their order, and so few that no other way of reading pays.
private func planSupply(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ plan: UnsafeMutablePointer<sqlite3_index_info>?
) -> Int32 {
  plan?.pointee.estimatedCost = 1
  plan?.pointee.estimatedRows = 1
  return SQLITE_OK
}

private func openSupply(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?,
  _ opened: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> Int32 {
  guard let table, let opened else { return SQLITE_MISUSE }
  let rows = UnsafeMutableRawPointer(table).assumingMemoryBound(to: SupplyTable.self).pointee.rows
  let cursor = UnsafeMutablePointer<SupplyCursor>.allocate(capacity: 1)
  cursor.initialize(to: SupplyCursor(rows: rows))
  opened.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  return SQLITE_OK
}

private func closeSupply(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: SupplyCursor.self).deallocate()
  return SQLITE_OK
}

@inline(__always)
private func rows(
  of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<SuppliedRows> {
  // SQLite hands back what ``openSupply`` made.
  UnsafeRawPointer(cursor.unsafelyUnwrapped).assumingMemoryBound(to: SupplyCursor.self).pointee.rows
}

private func rewindSupply(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ index: Int32, _ name: UnsafePointer<CChar>?,
  _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  rows(of: cursor).pointee.current = 0
  return SQLITE_OK
}

private func nextSupplied(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  rows(of: cursor).pointee.current &+= 1
  return SQLITE_OK
}

private func isSupplyAtEnd(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  let rows = rows(of: cursor)
  return rows.pointee.current < rows.pointee.count ? 0 : 1
}

private func suppliedRowid(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ rowid: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
  rowid?.pointee = Int64(rows(of: cursor).pointee.current)
  return SQLITE_OK
}

private func suppliedColumn(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: Int32
) -> Int32 {
  let rows = rows(of: cursor)
  let place = rows.pointee.current &* rows.pointee.columns &+ Int(column)
  guard let values = rows.pointee.values, Int(column) < rows.pointee.columns else { return SQLITE_MISUSE }
  switch values[place] {
  case .null: sqlite3_result_null(context)
  case .integer(let value): sqlite3_result_int64(context, value)
  case .real(let value): sqlite3_result_double(context, value)
  case .text(let bytes):
    seedbank_sqlite_lend_result_text(
      context, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
      UInt64(bytes.count))
  case .blob(let bytes) where bytes.isEmpty: sqlite3_result_zeroblob(context, 0)
  case .blob(let bytes):
    seedbank_sqlite_lend_result_blob(context, bytes.baseAddress, UInt64(bytes.count))
  }
  return SQLITE_OK
}

/// Called for a row whose key is there, with what its first columns hold there.
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
  var isSame = rows.pointee.rule == .keep
  if !isSame {
    isSame = true
    for column in 0..<Int(count) where !holds(found[column], row[column]) {
      isSame = false
      break
    }
  }
  outcomes[current] = isSame ? .unchanged : .updated
  if !isSame, rows.pointee.rule == .fail { return sqlite3_result_error_code(context, SQLITE_CONSTRAINT) }
  sqlite3_result_int(context, isSame ? 0 : 1)
}

/// As ``Statement/holds(_:at:)``.
@inline(__always)
private func holds(_ found: OpaquePointer?, _ value: BorrowedValue) -> Bool {
  let type = sqlite3_value_type(found)
  switch value {
  case .null: return type == SQLITE_NULL
  case .integer(let value): return type == SQLITE_INTEGER && sqlite3_value_int64(found) == value
  case .real(let value):
    return type == SQLITE_FLOAT && sqlite3_value_double(found).bitPattern == value.bitPattern
  case .text(let bytes): return type == SQLITE_TEXT && isSame(found, bytes)
  case .blob(let bytes): return type == SQLITE_BLOB && isSame(found, bytes)
  }
}

// A text's bytes are asked for as a blob's: as a text, SQLite would copy them to put a NUL behind.
@inline(__always)
private func isSame(_ found: OpaquePointer?, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  let address = sqlite3_value_blob(found)
  guard Int(sqlite3_value_bytes(found)) == bytes.count else { return false }
  guard let address, let own = bytes.baseAddress, !bytes.isEmpty else { return true }
  return memcmp(address, own, bytes.count) == 0
}
