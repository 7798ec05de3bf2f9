package import SeedDatabase
import SeedFormat
import SeedSystem

/// An operator's SQLite file in a read transaction. Other processes may write to it.
package final class SQLiteOrigin: Origin {
  let connection: Connection
  /// The file's identity; `nil` if the file was replaced while it was being opened.
  private let file: String?
  private let path: String
  package let fitter = AffinityFitter()

  /// Opens the file in a read transaction. `mayQuoteTexts` allows double-quoted strings, which operators' views may use.
  package init(_ path: String, waitSeconds: Int = 10, mayQuoteTexts: Bool = true) throws {
    try OriginError.checkIsFile(path)
    self.path = path
    let before = try OriginError.stamp(path)?.identity
    do {
      connection = try Connection(path, .origin)
      if !mayQuoteTexts { try connection.refuseQuotedTexts() }
      try connection.execute("PRAGMA busy_timeout = \(waitSeconds * 1000); BEGIN")
      // The first read, not BEGIN, takes the snapshot. The read also fails if the file is not a database.
      let parts = try connection.integer("SELECT count(*) FROM sqlite_schema")
      // SQLite accepts an empty file as a database without tables.
      if parts == 0, try OriginError.stamp(path)?.size == 0 { throw OriginError.empty(path: path) }
    } catch let error as DatabaseError {
      if error.primaryCode == ResultCode.busy { throw OriginError.locked(path: path, seconds: waitSeconds) }
      throw OriginError.reading(path, error)
    }
    file = try OriginError.stamp(path)?.identity == before ? before : nil
  }

  package func source(
    of table: TableSchema, _ projection: Projection, isOrdered: Bool
  ) throws -> any RowSource {
    do {
      let source = try projection.source(of: table, in: connection)
      let select = projection.select(table, from: source, isOrdered: isOrdered)
      return StatementSource(
        try connection.prepare(select), of: "table \"\(table.name)\" (\(projection.place))")
    } catch let error as DatabaseError { throw projectionError(error, table, projection) }
  }

  package func rowsWithoutKey(_ table: TableSchema, _ projection: Projection) throws -> Int {
    let source = try projection.source(of: table, in: connection)
    let nulls = table.keyNames.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
    return Int(try connection.integer("SELECT count(*) FROM \(source) WHERE \(nulls)") ?? 0)
  }

  package func drift(_ table: TableSchema, _ projection: Projection, _ types: TypeGuard) throws -> [String] {
    guard let doubtful = table.doubtfulRows else { return [] }
    let select = try projection.select(table, in: connection)
    // Adds WHERE to the SELECT. In a subquery, SQLite would not use the NOT NULL constraints.
    let statement = try connection.prepare("\(select) WHERE \(doubtful)")
    let source = StatementSource(statement, of: "table \"\(table.name)\" (\(projection.place))")
    let rows = ProjectedRows(source, table, fitter, isOrdered: false)
    return try types.violations(in: rows, of: table).map { "\($0)" }
  }

  package func outline() throws -> OriginOutline {
    do {
      return try OriginOutline(connection)
    } catch let error as DatabaseError { throw OriginError.reading(path, error) }
  }

  package func log() throws -> (any OriginLog)? {
    guard let file else { return nil }
    do {
      return try SQLiteLog(connection, fitter, file: file)
    } catch let error as DatabaseError { throw OriginError.reading(path, error) }
  }

  /// Does not analyse which views a SELECT reads, so a volatile view affects all tables.
  package func volatileTables(_ plan: SeriesPlan) throws -> [String: String] {
    let views = try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
    let view = views.first { SQLFunctions.areVolatile(in: $0[1].text) }?[0].text
    return plan.schema.tables.reduce(into: [:]) { volatile, table in
      if let view {
        volatile[table.name] = "the view \"\(view)\" uses the time or random numbers"
      } else if plan.projection(table).sql.map(SQLFunctions.areVolatile(in:)) == true {
        volatile[table.name] = "its SELECT uses the time or random numbers"
      }
    }
  }

  /// A syntax error is a mistake in the model. A missing name may be a mistake in the origin.
  private func projectionError(
    _ error: DatabaseError, _ table: TableSchema, _ projection: Projection
  ) -> OriginError {
    // Line numbers make sense only in an operator's SELECT.
    let line = projection.sql == nil ? nil : error.line
    let source = line.map { "\(projection.place):\($0)" } ?? projection.place
    let isSyntax = ["syntax error", "unrecognized token", "incomplete input"].contains {
      error.message.contains($0)
    }
    guard isSyntax, projection.sql != nil else {
      return .data("table \"\(table.name)\" (\(source)): \(error.message)\(remedy(error, projection))")
    }
    return .configuration("\(source): \(error.message)")
  }

  private func remedy(_ error: DatabaseError, _ projection: Projection) -> String {
    guard error.message.hasPrefix("no such table") else { return "" }
    let change =
      projection.sql == nil ? "create \(projection.file) with a SELECT in its place" : "change the SELECT"
    return " in \(path); bring it back, or \(change)"
  }
}

extension Projection {
  func select(_ table: TableSchema, in connection: Connection) throws -> String {
    select(table, from: try source(of: table, in: connection), isOrdered: false)
  }

  /// Returns the table or SELECT to read from. Throws if its columns do not suit the client's.
  fileprivate func source(of table: TableSchema, in connection: Connection) throws -> String {
    guard let sql else {
      try check(try connection.prepare("SELECT * FROM \(quoted(table.name))"), table, mayHaveMore: true)
      return quoted(table.name)
    }
    let select = try alone(sql)
    let statement = try connection.prepare(select)
    // SQLite would read NULL for each parameter.
    guard !statement.hasParameters else {
      throw OriginError.configuration(
        "\(place): a parameter, such as ? or $name, has no value: write a value in its place")
    }
    try check(statement, table, mayHaveMore: false)
    return "(\(select)\n)"
  }

  fileprivate func select(_ table: TableSchema, from source: String, isOrdered: Bool) -> String {
    let columns = table.columnNames.map(quoted).joined(separator: ", ")
    return "SELECT \(columns) FROM \(source)" + (isOrdered ? " ORDER BY \(TableSQL(table).keyOrder)" : "")
  }

  /// The origin's table may have more columns than the client's, but extra columns in a SELECT are a mistake.
  private func check(_ statement: Statement, _ table: TableSchema, mayHaveMore: Bool) throws {
    let found = statement.columnNames.map { $0.foldedName }
    let expected = table.columnNames.map { $0.foldedName }
    let missing = table.columnNames.filter { !found.contains($0.foldedName) }
    let surplus = mayHaveMore ? [] : statement.columnNames.filter { !expected.contains($0.foldedName) }
    guard missing.isEmpty, surplus.isEmpty else {
      throw OriginError.columns(table: table.name, source: self, missing: missing, surplus: surplus)
    }
  }

  /// Returns the SELECT without its semicolon, because the SELECT becomes a subquery.
  private func alone(_ sql: String) throws(OriginError) -> String {
    let bytes = Array(sql.utf8)
    let tokens = SQLScanner.tokens(of: bytes)
    guard let end = tokens.firstIndex(where: { $0.keyword == ";" }) else { return sql }
    if let next = tokens[end...].first(where: { $0.keyword != ";" }) {
      let line = bytes.line(of: next.range.lowerBound)
      throw .configuration("\(place):\(line): another statement follows; a projection is one SELECT")
    }
    return String(decoding: bytes[..<tokens[end].range.lowerBound], as: UTF8.self)
  }
}
