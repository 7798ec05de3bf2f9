import SeedDatabase
import SeedFormat
import SeedPublisher

/// Reads a client's table from the origin's table of that name, or from the operator's SELECT, in PostgreSQL's SQL.
struct PostgresProjection {
  let columns: [ProjectedColumn]
  /// A table, or a SELECT in parentheses.
  private(set) var source: String
  private var order: String
  private let table: TableSchema
  private let projection: Projection
  /// The origin's columns and types in the order of the client's columns; for a SELECT, those of its result.
  private let found: [(name: String, type: UInt32)]

  var names: [String] { found.map(\.name) }

  /// Checks the columns and their types; reads no rows.
  init(_ table: TableSchema, _ projection: Projection, _ connection: PostgresConnection, _ types: TypeCatalog)
    throws
  {
    (self.table, self.projection) = (table, projection)
    let reader = SourceReader(table: table, projection: projection, connection: connection)
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
      let found = try types.name(actual.type)
      throw PostgresError.configuration(
        "table \"\(table.name)\" (\(projection.place)): the column \"\(actual.name)\" has the type \(found): "
          + type.refusal(for: projection))
    }
    order = table.key.map { [columns] in columns[$0].order }.joined(separator: ", ")
  }

  /// Returns a projection for a few rows with binary keys, which can be sorted without an index.
  func narrowed(to source: String) -> Self {
    var narrowed = self
    narrowed.source = source
    narrowed.order = table.key.map { columns[$0].orderInUTF8 }.joined(separator: ", ")
    return narrowed
  }

  func copy(isOrdered: Bool) -> String {
    let values = columns.map(\.sql).joined(separator: ", ")
    let order = isOrdered ? " ORDER BY \(order)" : ""
    return "COPY (SELECT \(values) FROM \(source) AS seedbank_rows\(order)) TO STDOUT (FORMAT binary)"
  }

  /// A query that returns no rows, but requires the right to read each column.
  var rights: String {
    "SELECT \(columns.map(\.sql).joined(separator: ", ")) FROM \(source) AS seedbank_rows LIMIT 0"
  }

  var countWithoutKey: String {
    let nulls = table.key.map { "(\(columns[$0].sql)) IS NULL" }.joined(separator: " OR ")
    return "SELECT count(*) FROM \(source) AS seedbank_rows WHERE \(nulls)"
  }

  func unfit(_ index: Int, _ reason: String, in row: [BorrowedValue]) -> OriginError {
    let key = rowDescription(table.keyNames, table.key.map { row[$0].owned })
    return .unfit(table: table.name, column: table.columns[index].name, key: key, reason: reason)
  }

  func blaming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch PostgresError.server(let server, let subject, var message) {
      if projection.sql == nil { message.table = table.name }
      throw PostgresError.server(
        place: server, subject: "\(subject), table \"\(table.name)\" (\(projection.place))", message)
    }
  }
}

private struct SourceReader {
  let table: TableSchema
  let projection: Projection
  let connection: PostgresConnection

  typealias Columns = [(name: String, type: UInt32)]

  func read() throws(PostgresError) -> (source: String, columns: Columns) {
    guard let sql = projection.sql else {
      let name = "\(quoted(connection.place.schema)).\(quoted(table.name))"
      return (name, try columns(of: "SELECT * FROM \(name)"))
    }
    // First checks the SQL as written, so that the server counts the file's lines and rejects a second statement.
    let columns = try columns(of: sql, isFile: true)
    return ("(\(try unended(sql))\n)", columns)
  }

  /// Removes a final semicolon and the text after it, because the SQL becomes a subquery. Asks the server which
  /// semicolon ends the statement, because others may be in strings or comments.
  private func unended(_ sql: String) throws(PostgresError) -> String {
    var select = sql[...]
    while true {
      do throws(PostgresError) {
        _ = try columns(of: "SELECT * FROM (\(select)\n) AS seedbank_rows")
        return String(select)
      } catch {
        guard case .server(_, _, let message) = error, message.isSyntax, let end = select.lastIndex(of: ";")
        else { throw error }
        select = select[..<end]
      }
    }
  }

  /// Errors name the table or its file, and the line if `isFile` is true and the server reported a position.
  private func columns(of sql: String, isFile: Bool = false) throws(PostgresError) -> Columns {
    do throws(PostgresError) {
      return try connection.columns(of: sql)
    } catch {
      guard case .server(let place, let subject, var message) = error else { throw error }
      guard projection.sql != nil else {
        message.table = table.name
        throw .server(place: place, subject: "\(subject), table \"\(table.name)\"", message)
      }
      let line = isFile ? message.position.map { ":\(sql.line(ofCharacter: $0))" } : nil
      throw .server(place: place, subject: projection.place + (line ?? ""), message)
    }
  }

  /// A table may have more columns than the client; a SELECT with more is a mistake.
  func check(_ found: [String]) throws(OriginError) {
    let missing = table.columnNames.filter { name in !found.contains { $0.isNamed(name) } }
    let unknown = found.filter { name in !table.columnNames.contains { $0.isNamed(name) } }
    let surplus = projection.sql == nil ? [] : unknown
    guard missing.isEmpty, surplus.isEmpty else {
      throw .columns(table: table.name, source: projection, missing: missing, surplus: surplus)
    }
  }
}

extension ColumnType {
  fileprivate func refusal(for projection: Projection) -> String {
    let reason = if case .refused(let reason) = self { reason } else { "the client's column cannot hold it" }
    return "\(reason); cast it to text or a number in \(projection.file)"
  }
}

extension String {
  fileprivate func isNamed(_ other: String) -> Bool { foldedName == other.foldedName }

  /// Returns the line of a character. Both are counted from 1.
  fileprivate func line(ofCharacter place: Int) -> Int {
    unicodeScalars.prefix(place - 1).count { $0 == "\n" } + 1
  }
}

/// Reads a table's rows, in key order if requested. Starts the COPY on the first call of `next`.
final class CopyRows: RowSource {
  private let connection: PostgresConnection
  private let projection: PostgresProjection
  private let reader: CopyReader

  init(_ connection: PostgresConnection, _ projection: PostgresProjection, isOrdered: Bool) {
    (self.connection, self.projection) = (connection, projection)
    reader = CopyReader(connection, projection.copy(isOrdered: isOrdered), columns: projection.columns.count)
  }

  func next() throws -> Bool {
    guard try !projection.blaming({ try reader.next() }) else { return true }
    try connection.proveNothingRewritten()
    try connection.proveNoLabelRenamed()
    return false
  }

  func lend(to values: inout [BorrowedValue]) throws {
    values.removeAll(keepingCapacity: true)
    var unfit: (index: Int, reason: String)?
    for (index, field) in reader.row.fields.enumerated() {
      do {
        values.append(try field.map { try projection.columns[index].form.value($0) } ?? .null)
      } catch let error as ValueForm.Unfit {
        unfit = unfit ?? (index, error.reason)
        values.append(projection.columns[index].form.shown(field))
      }
    }
    if let unfit { throw projection.unfit(unfit.index, unfit.reason, in: values) }
  }
}

final class CopyReader {
  private let connection: PostgresConnection
  private let sql: String
  private let count: Int
  private(set) var row = BinaryRow()
  private var hasBegun = false

  /// Starts the COPY on the first call of `next`.
  init(_ connection: PostgresConnection, _ sql: String, columns count: Int) {
    (self.connection, self.sql, self.count) = (connection, sql, count)
  }

  func next() throws -> Bool {
    if !hasBegun { try connection.startCopy(sql) }
    guard var message = try connection.nextCopied() else { return false }
    if !hasBegun { message = try BinaryRow.behindHead(message) }
    hasBegun = true
    if try row.read(message, count: count) { return true }
    // After the trailer, the server reports whether it sent all rows.
    return try connection.nextCopied() != nil
  }
}
