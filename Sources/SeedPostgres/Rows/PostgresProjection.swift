import SeedDatabase
import SeedFormat
import SeedServer

/// How one table of a client is read: the origin's table of that name, or the operator's SELECT, in PostgreSQL's own SQL.
struct PostgresProjection {
  let columns: [ProjectedColumn]
  /// What is read: a table, or a SELECT in parentheses.
  private(set) var source: String
  private let table: TableSchema
  private let place: String
  /// The origin's own columns by the client's, with their types; of a SELECT, those that it yields.
  private let found: [(name: String, type: UInt32)]

  /// What the columns are called in the origin.
  var names: [String] { found.map(\.name) }

  /// Looks at the columns and their types; reads no row.
  init(_ table: TableSchema, _ projection: Projection, _ connection: PostgresConnection, _ types: TypeCatalog)
    throws
  {
    self.table = table
    place = projection.place
    let reader = SourceReader(table, projection, connection)
    let found: [(name: String, type: UInt32)]
    (source, found) = try reader.read()
    try reader.check(found.map(\.name))
    self.found = table.columns.map { column in
      let actual = found.first { $0.name == column.name } ?? found.first { $0.name.isNamed(column.name) }
      guard let actual else { preconditionFailure("\(column.name) was found before") }
      return actual
    }
    columns = try zip(table.columns, self.found).map { column, actual in
      let type = try types.type(actual.type)
      let value = "seedbank_rows.\(quoted(actual.name))"
      if let projected = ProjectedColumn(value, type, for: column) { return projected }
      throw PostgresError.type(
        source: projection.place, table: table.name, column: actual.name,
        type: try types.name(actual.type), reason: type.refusal(for: projection))
    }
  }

  /// The same columns of fewer rows.
  func narrowed(to source: String) -> Self {
    var narrowed = self
    narrowed.source = source
    return narrowed
  }

  /// All rows, in the key's order where that is asked for.
  func copy(isOrdered: Bool) -> String {
    let values = columns.map(\.sql).joined(separator: ", ")
    let order = " ORDER BY " + table.key.map { columns[$0].order }.joined(separator: ", ")
    return
      "COPY (SELECT \(values) FROM \(source) AS seedbank_rows\(isOrdered ? order : "")) TO STDOUT (FORMAT binary)"
  }

  /// Reads no row, and all the same asks for the right to read each column.
  var rights: String {
    "SELECT \(columns.map(\.sql).joined(separator: ", ")) FROM \(source) AS seedbank_rows LIMIT 0"
  }

  /// How many rows have NULL in the key.
  var countWithoutKey: String {
    let nulls = table.key.map { "(\(columns[$0].sql)) IS NULL" }.joined(separator: " OR ")
    return "SELECT count(*) FROM \(source) AS seedbank_rows WHERE \(nulls)"
  }

  /// The client's columns of numbers whose rows may have none, with the types in the origin.
  var doubtful: [(column: ColumnSchema, type: UInt32)] {
    columns.indices.filter { index in
      switch (columns[index].form, table.columns[index].affinity) {
      case (.spelled, .integer), (.spelled, .real), (.real, .integer): true
      default: false
      }
    }.map { (table.columns[$0], found[$0].type) }
  }

  // MARK: The key

  /// What orders the rows: the origin's columns, and how the client compares them.
  var keyParts: [(name: String, type: UInt32, isText: Bool, collation: Collation)] {
    table.key.map { (found[$0].name, found[$0].type, columns[$0].form == .text, table.columns[$0].collation) }
  }

  /// Whether it is a table of the origin, and no SELECT.
  var isWholeTable: Bool { !source.hasPrefix("(") }

  /// The keys of all rows, in the client's order.
  var orderedKeys: String {
    let order = table.key.map { columns[$0].order }.joined(separator: ", ")
    return "SELECT 1 FROM \(source) AS seedbank_rows ORDER BY \(order)"
  }

  func unfit(_ index: Int, _ reason: String, in row: [BorrowedValue]) -> OriginError {
    let key = rowDescription(table.keyNames, table.key.map { row[$0].owned })
    return .unfit(table: table.name, column: table.columns[index].name, key: key, reason: reason)
  }

  /// What the server refuses while it reads is told with the table.
  func blaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch PostgresError.server(let server, let subject, let message) {
      throw PostgresError.server(
        place: server, subject: "\(subject), table \"\(table.name)\" (\(place))", message)
    }
  }
}

/// Finds out what a projection reads from.
private struct SourceReader {
  let table: TableSchema
  let projection: Projection
  let connection: PostgresConnection

  init(_ table: TableSchema, _ projection: Projection, _ connection: PostgresConnection) {
    (self.table, self.projection, self.connection) = (table, projection, connection)
  }

  typealias Columns = [(name: String, type: UInt32)]

  func read() throws(PostgresError) -> (source: String, columns: Columns) {
    guard let sql = projection.sql else {
      let name = "\(quoted(connection.place.schema)).\(quoted(table.name))"
      return (
        name, try told { () throws(PostgresError) in try connection.columns(of: "SELECT * FROM \(name)") }
      )
    }
    // By itself first: so the server counts lines as the file does, and refuses a second statement.
    let columns = try told { () throws(PostgresError) in try connection.columns(of: sql) }
    return ("(\(try unended(sql))\n)", columns)
  }

  /// Without the semicolon and what is behind it: it becomes a subquery. Which semicolon ends the statement is the server's to
  /// say, for it may stand in a text or a comment as well.
  private func unended(_ sql: String) throws(PostgresError) -> String {
    var select = sql[...]
    while true {
      do throws(PostgresError) {
        _ = try connection.columns(of: "SELECT * FROM (\(select)\n) AS seedbank_rows")
        return String(select)
      } catch {
        guard case .server(_, _, let message) = error, message.isSyntax,
          let end = select.lastIndex(of: ";")
        else { throw told(error, line: nil) }
        select = select[..<end]
      }
    }
  }

  private func told<Result>(_ body: () throws(PostgresError) -> Result) throws(PostgresError) -> Result {
    do throws(PostgresError) {
      return try body()
    } catch {
      guard case .server(_, _, let message) = error else { throw error }
      throw told(error, line: message.position.flatMap { projection.sql?.line(ofCharacter: $0) })
    }
  }

  /// With the file, and the line where the server named a place.
  private func told(_ error: PostgresError, line: Int?) -> PostgresError {
    guard case .server(let place, let subject, let message) = error else { return error }
    guard projection.sql != nil else {
      return .server(place: place, subject: "\(subject), table \"\(table.name)\"", message)
    }
    return .server(place: place, subject: projection.place + (line.map { ":\($0)" } ?? ""), message)
  }

  /// An origin's table may hold more than a client gets; a SELECT that yields more is a mistake in it.
  func check(_ found: [String]) throws(OriginError) {
    let missing = table.columnNames.filter { name in !found.contains { $0.isNamed(name) } }
    let surplus = found.filter { name in !table.columnNames.contains { $0.isNamed(name) } }
    guard missing.isEmpty, surplus.isEmpty || projection.sql == nil else {
      throw .columns(
        table: table.name, source: projection, missing: missing, surplus: projection.sql == nil ? [] : surplus
      )
    }
  }
}

extension ColumnType {
  /// Why it has no form for a client's column, and what helps.
  fileprivate func refusal(for projection: Projection) -> String {
    let reason = if case .refused(let reason) = self { reason } else { "the client's column cannot hold it" }
    return "\(reason); cast it to text or a number in \(projection.file)"
  }
}

extension String {
  /// Whether SQLite takes the other name for this one.
  fileprivate func isNamed(_ other: String) -> Bool { lowercased() == other.lowercased() }

  /// From 1, of a character counted from 1.
  fileprivate func line(ofCharacter place: Int) -> Int {
    unicodeScalars.prefix(place - 1).count { $0 == "\n" } + 1
  }
}
