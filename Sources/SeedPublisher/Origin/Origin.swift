package import SeedDatabase
package import SeedFormat

/// A consistent read transaction on an operator's data, independent of the kind of origin.
package protocol Origin: AnyObject {
  /// Converts values to the form in which a client's column stores them.
  var fitter: AffinityFitter { get }
  /// Returns this origin or a newer state of it, in which no writer can truncate a table that the plans read.
  func locking(_ plans: [SeriesPlan]) throws -> any Origin
  /// Returns a table's projected rows in the client's column order. If `isOrdered`, they are in the origin's key order.
  func source(of table: TableSchema, _ projection: Projection, isOrdered: Bool) throws -> any RowSource
  /// Returns the number of rows that cannot be published because a key column is NULL.
  func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int
  /// Describes the values that the client's columns do not accept. Finds none if the origin cannot search for them.
  func drift(_ table: TableSchema, _ projection: Projection, _ types: TypeGuard) throws -> [String]
  func outline() throws -> OriginOutline
  /// Returns the log of changed rows; `nil` if no log is set up.
  func log() throws -> (any OriginLog)?
  /// Returns the position of the state being read, to compare with later ones; `nil` if the origin has no positions.
  func place() throws -> OriginCursor?
  func relation(to place: OriginCursor) throws -> OriginRelation
  /// Whether the operator allows a column to lose its values in all rows.
  func isOptional(_ column: String, of table: String) -> Bool
  /// Returns tables whose rows can change without a write, each with a reason, such as a view that uses the time.
  func volatileTables(_ plan: SeriesPlan) throws -> [String: String]
}

/// Reads rows one at a time. A row is valid until the next one is read. Throws errors of the origin as ``OriginFailure``.
package protocol RowSource: AnyObject {
  /// Returns false after the last row.
  func next() throws -> Bool
  /// Lends the current row with unvalidated text. If a value cannot be stored, lends all others and then throws.
  func lend(to row: inout [BorrowedValue]) throws
}

extension Origin {
  package func isVolatile(_ plans: [SeriesPlan]) throws -> Bool {
    try plans.contains { try !volatileTables($0).isEmpty }
  }

  /// Most origins need no locks, because their read transactions cover every table.
  package func locking(_ plans: [SeriesPlan]) -> any Origin { self }

  /// Most origins are not replicas.
  package func place() -> OriginCursor? { nil }

  package func relation(to place: OriginCursor) -> OriginRelation { .follows }

  package func isOptional(_ column: String, of table: String) -> Bool { false }

  /// Returns a table's rows in the client's shape and key order. If the origin sorts keys differently, reading throws
  /// ``ProjectedRows/OutOfOrder``; then use ``stagedRows(_:_:schemaSQL:)``.
  package func rows(
    _ table: TableSchema, _ projection: Projection, isOrdered: Bool = true
  ) throws -> ProjectedRows {
    let source = try source(of: table, projection, isOrdered: isOrdered)
    return ProjectedRows(source, table, fitter, isOrdered: isOrdered)
  }

  /// Like ``rows(_:_:isOrdered:)``, but sorts the rows in a staging table that is declared like the client's.
  func stagedRows(_ table: TableSchema, _ projection: Projection, schemaSQL: String) throws -> ProjectedRows {
    let rows = try rows(table, projection, isOrdered: false)
    let staging = try Connection("staging", .scratch)
    try staging.execute(schemaSQL)
    try staging.transaction {
      let insert = try staging.prepare(TableSQL(table).insert)
      while try rows.next() { try stage(try rows.validRow(), insert, table) }
    }
    let sorted = StatementSource(try staging.prepare(TableSQL(table).allInKeyOrder))
    return ProjectedRows(sorted, table, fitter, isOrdered: true)
  }
}

private func stage(_ row: [SeedValue], _ insert: Statement, _ table: TableSchema) throws {
  do {
    try insert.run(row)
  } catch  where error.primaryCode == ResultCode.constraint {
    let key = rowDescription(table.keyNames, table.keyValues(of: row))
    guard !table.hasOtherUnique, ResultCode.taken.contains(error.code) else {
      throw ImportError.constraint(table: table.name, key: key, message: error.message)
    }
    throw OriginError.duplicateKey(table: table.name, key: key)
  }
}

final class StatementSource: RowSource {
  @exclusivity(unchecked) private var rows: KeyedRows
  /// The name of the rows in messages; `nil` for Seedbank's own rows.
  private let subject: String?

  init(_ statement: Statement, keys: [[SeedValue]] = [[]], of subject: String? = nil) {
    (rows, self.subject) = (KeyedRows(statement, keys), subject)
  }

  func next() throws -> Bool {
    do throws(DatabaseError) {
      return try rows.next()
    } catch {
      // Functions report SQLite's generic error, as json_extract does for malformed text.
      guard let subject, error.primaryCode == ResultCode.error else {
        throw OriginError.sorting(rows.statement.path, error)
      }
      throw OriginError.data(
        "\(subject): a row cannot be read: \(error.message); correct the row, or the SELECT or view that reads it"
      )
    }
  }

  func lend(to row: inout [BorrowedValue]) { rows.statement.borrowRow(into: &row) }
}

/// The rows that a statement returns for each key in turn. A statement without parameters has a single, empty key.
struct KeyedRows {
  let statement: Statement
  private let keys: [[SeedValue]]
  private var place = 0

  init(_ statement: Statement, _ keys: [[SeedValue]]) { (self.statement, self.keys) = (statement, keys) }

  mutating func next() throws(DatabaseError) -> Bool {
    // A key that allows NULL may match several rows.
    if place > 0, try statement.step() { return true }
    while place < keys.count {
      statement.rewind()
      try statement.bind(keys[place])
      place += 1
      if try statement.step() { return true }
    }
    return false
  }
}
