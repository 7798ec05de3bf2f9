import SeedDatabase

/// How one table's rows come out of the origin: a SELECT of the operator's, or the same-named table.
package struct Projection: Hashable, Sendable {
  /// The operator's SELECT; `nil` for the same-named table and columns.
  package let sql: String?
  /// Where it stands, for messages.
  package let place: String

  package init(sql: String?, place: String) {
    self.sql = sql
    self.place = place
  }

  /// What to select from, once it is known to yield exactly the table's stored columns.
  func source(of table: TableSchema, in connection: Connection) throws -> String {
    guard let sql else {
      try check(try connection.prepare("SELECT * FROM \(quoted(table.name))"), table, mayHaveMore: true)
      return quoted(table.name)
    }
    let select = trimmed(sql)
    try check(try connection.prepare(select), table, mayHaveMore: false)
    return "(\(select)\n)"
  }

  /// Refuses what follows the SELECT, which SQLite passes over.
  func checkIsAlone() throws(OriginError) {
    guard let sql else { return }
    let bytes = Array(sql.utf8)
    let tokens = SQLScanner.tokens(of: bytes)
    guard let end = tokens.firstIndex(where: { $0.keyword == ";" }),
      let next = tokens[end...].first(where: { $0.keyword != ";" })
    else { return }
    let line = bytes[..<next.range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
    throw .syntax(source: "\(place):\(line)", reason: "another statement follows; a projection is one SELECT")
  }

  /// The client's columns in the client's order.
  func select(_ table: TableSchema, from source: String, isOrdered: Bool) -> String {
    let columns = table.columnNames.map(quoted).joined(separator: ", ")
    return "SELECT \(columns) FROM \(source)" + (isOrdered ? " ORDER BY \(TableSQL(table).keyOrder)" : "")
  }

  /// An origin's table may hold more than a client gets; a SELECT that yields more is a mistake in it.
  private func check(_ statement: Statement, _ table: TableSchema, mayHaveMore: Bool) throws {
    let found = statement.columnNames.map { $0.lowercased() }
    let expected = table.columnNames.map { $0.lowercased() }
    let missing = table.columnNames.filter { !found.contains($0.lowercased()) }
    let surplus = mayHaveMore ? [] : statement.columnNames.filter { !expected.contains($0.lowercased()) }
    guard missing.isEmpty, surplus.isEmpty else {
      throw OriginError.columns(table: table.name, source: self, missing: missing, surplus: surplus)
    }
  }

  /// Without the semicolon and what is behind it: it becomes a subquery.
  private func trimmed(_ sql: String) -> String {
    let bytes = Array(sql.utf8)
    let end = SQLScanner.tokens(of: bytes).first { $0.keyword == ";" }?.range.lowerBound
    return String(decoding: bytes[..<(end ?? bytes.count)], as: UTF8.self)
  }
}
