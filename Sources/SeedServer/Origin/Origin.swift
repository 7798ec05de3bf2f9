package import SeedDatabase
package import SeedFormat

/// One consistent state of what an operator keeps, open for reading: what others write meanwhile does not show. What
/// stands behind this protocol knows what kind of origin it is; nothing before it does.
package protocol Origin: AnyObject {
  /// Brings values into the form in which a client's column stores them.
  var fitter: AffinityFitter { get }
  /// The rows of one table as the projection yields them, in the client's column order; in its key order, as far as the
  /// origin can sort by it.
  func source(of table: TableSchema, _ projection: Projection, isOrdered: Bool) throws -> any RowSource
  /// How many rows have NULL in a column of the client's key, and so cannot be published.
  func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int
  /// What of the table is not of the client's types, or need not be, as far as that shows without reading all values.
  func drift(_ table: TableSchema, _ projection: Projection, _ types: TypeGuard) throws -> [TypeDrift]
  /// What would make reading the table cheaper; `nil` where nothing is known that would.
  func advice(_ table: TableSchema, _ projection: Projection) throws -> String?
  /// The names of what it holds.
  func outline() throws -> OriginOutline
  /// What its writers noted; `nil` where nobody set up a log.
  func log() throws -> (any OriginLog)?
  /// A mark of the state that is being read, by which a later one can tell whether it has all of it; `nil` where no state can lack
  /// what an earlier one had, or nobody can tell.
  func place() throws -> OriginCursor?
  /// How the state that is being read follows that of the mark.
  func relation(to place: OriginCursor) throws -> OriginRelation
  /// Whether the operator said that a column may have no value in any row.
  func isOptional(_ column: String, of table: String) -> Bool
  /// By table of the client, why its rows can change though nobody writes: a SELECT or a view asks for the time, say.
  func restlessTables(_ plan: SeriesPlan) throws -> [String: String]
}

/// Rows one after the other, each lent until the next. What fails is the origin's fault, and thrown as such.
package protocol RowSource: AnyObject {
  /// Moves to the next row; false behind the last.
  func next() throws -> Bool
  /// The current row where it lies; its texts are not validated. Where a value cannot be stored, throws once all others
  /// are there.
  func lend(to row: inout [BorrowedValue]) throws
}

extension Origin {
  /// Whether rows can change though nobody writes.
  package func isVolatile(_ plans: [SeriesPlan]) throws -> Bool {
    try plans.contains { try !restlessTables($0).isEmpty }
  }

  package func advice(_ table: TableSchema, _ projection: Projection) -> String? { nil }

  /// Most origins are no replicas.
  package func place() -> OriginCursor? { nil }

  package func relation(to place: OriginCursor) -> OriginRelation { .follows }

  package func isOptional(_ column: String, of table: String) -> Bool { false }

  /// The rows of one table, projected into the client's shape and in the client's key order. Mostly the origin can
  /// sort them. If its types or collations order keys in another way than the client's, ``ProjectedRows/next()``
  /// throws ``ProjectedRows/OutOfOrder``, and ``stagedRows(_:_:schemaSQL:)`` sorts them.
  package func rows(
    _ table: TableSchema, _ projection: Projection, isOrdered: Bool = true
  ) throws -> ProjectedRows {
    let source = try source(of: table, projection, isOrdered: isOrdered)
    return ProjectedRows(source, table, fitter, isOrdered: isOrdered)
  }

  /// As ``rows(_:_:isOrdered:)``, sorted by a staging table of the client's own declaration.
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

/// The rows of a statement over an operator's file, or over a staging table.
final class StatementSource: RowSource {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  func next() throws -> Bool {
    do throws(DatabaseError) {
      return try statement.step()
    } catch { throw OriginError.sorting(statement.path, error) }
  }

  func lend(to row: inout [BorrowedValue]) { statement.borrowRow(into: &row) }
}
