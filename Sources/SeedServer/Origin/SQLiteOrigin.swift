package import SeedDatabase
import SeedFormat
import SeedSystem

/// An operator's SQLite file, read in one transaction while others may write it.
package final class SQLiteOrigin {
  private let connection: Connection
  private let path: String
  private let fitter = AffinityFitter()

  /// Seconds for which another process's lock is waited for, unless said otherwise.
  package static let patienceSeconds = 10

  /// Opens the file and takes the state that all reads will see.
  package init(_ path: String, patienceSeconds: Int = SQLiteOrigin.patienceSeconds) throws {
    guard Folder.exists(path) else { throw OriginError.missing(path: path) }
    self.path = path
    do {
      connection = try Connection(path, .origin)
      try connection.execute("PRAGMA busy_timeout = \(patienceSeconds * 1000); BEGIN")
      // BEGIN alone takes no snapshot, the first read does; it also tells whether this is a database.
      _ = try connection.rows("SELECT count(*) FROM sqlite_schema")
    } catch let error as DatabaseError {
      if error.primaryCode == ResultCode.busy {
        throw OriginError.locked(path: path, seconds: patienceSeconds)
      }
      throw OriginError.reading(path, error)
    }
  }

  /// The rows of one table, projected into the client's shape and in the client's key order.
  ///
  /// Mostly the origin can sort them itself. Where its types or collations order keys otherwise than the
  /// client's, ``KeyedRows/next()`` throws ``OutOfOrder`` and ``stagedRows(_:_:)`` sorts them here.
  package func rows(_ table: TableSchema, _ projection: Projection) throws -> KeyedRows {
    KeyedRows(try statement(table, projection, isOrdered: true), table, fitter)
  }

  /// As ``rows(_:_:)``, sorted by a staging table of the client's own declaration.
  package func stagedRows(_ table: TableSchema, _ projection: Projection, schemaSQL: String) throws
    -> KeyedRows
  {
    let rows = UnorderedRows(try statement(table, projection, isOrdered: false), table, fitter)
    let staging = try Connection("staging", .scratch)
    try staging.execute(schemaSQL)
    try staging.transaction {
      let insert = try staging.prepare(TableSQL(table).insert)
      while try rows.next() { try Self.stage(try rows.validRow(), insert, table) }
    }
    return KeyedRows(try staging.prepare(TableSQL(table).allInKeyOrder), table, fitter)
  }

  /// The rows of one table in any order, for a first build.
  package func unorderedRows(_ table: TableSchema, _ projection: Projection) throws -> UnorderedRows {
    UnorderedRows(try statement(table, projection, isOrdered: false), table, fitter)
  }

  /// Whether the rows may become others though nobody writes: a SELECT or a view asks for the time.
  func isRestless(_ plans: [SeriesPlan]) throws -> Bool {
    let views = try connection.rows("SELECT sql FROM sqlite_schema WHERE type = 'view'").map(\.[0].text)
    return (plans.flatMap(\.newest.projections.values) + views).contains { SQLFunctions.areVolatile(in: $0) }
  }

  private static func stage(_ row: [SeedValue], _ insert: Statement, _ table: TableSchema) throws {
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

  private func statement(_ table: TableSchema, _ projection: Projection, isOrdered: Bool) throws -> Statement
  {
    do {
      let source = try projection.source(of: table, in: connection)
      try projection.checkIsAlone()
      return try connection.prepare(projection.select(table, from: source, isOrdered: isOrdered))
    } catch let error as DatabaseError {
      throw Self.projectionError(error, table, projection)
    }
  }

  /// What is not SQL is the model's fault; what names things that are not there may be the origin's.
  private static func projectionError(
    _ error: DatabaseError, _ table: TableSchema, _ projection: Projection
  ) -> OriginError {
    // Only in an operator's SELECT does a line say anything.
    let line = projection.sql == nil ? nil : error.line
    let source = line.map { "\(projection.place):\($0)" } ?? projection.place
    let isSyntax = ["syntax error", "unrecognized token", "incomplete input"].contains {
      error.message.contains($0)
    }
    guard isSyntax, projection.sql != nil else {
      return .projection(table: table.name, source: source, reason: error.message)
    }
    return .syntax(source: source, reason: error.message)
  }
}
