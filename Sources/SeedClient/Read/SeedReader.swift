package import SeedDatabase
public import SeedFormat

/// Reads a seed within one transaction; it cannot leave the closure that it is passed to.
public struct SeedReader: ~Copyable {
  private let connection: Connection
  private let interrupt: InterruptHandle

  init(_ connection: Connection, _ interrupt: InterruptHandle) {
    (self.connection, self.interrupt) = (connection, interrupt)
  }

  /// All rows of a query: one statement that only reads, with a value for each parameter, in the text or behind it.
  ///
  /// Fails with ``SeedError/Code/cancelled`` once its task is, and with ``SeedError/Code/suspended`` once the store is.
  public func rows(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?...
  ) throws(SeedError) -> [SeedRow] {
    try all(query.with(values.seedValues), TablesRead()) { $0.seedRows() }
  }

  /// All rows of a query as values of a type, whose members have the columns' names: `routeName` also takes the column
  /// `route_name`. A type that is no object takes the one column that there is.
  ///
  /// A column that does not fit its member, or is not there, fails with ``SeedError/Code/decoding``, as do two that a
  /// member could take. A dictionary's keys are the columns' names as the query spells them, for they are `allKeys`.
  public func rows<Row: Decodable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Row.Type
  ) throws(SeedError) -> [Row] {
    try all(query.with(values.seedValues), TablesRead()) { $0.decoded(as: type) }
  }

  /// The first row of a query, where there is one; further ones are not read.
  public func first<Row: Decodable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Row.Type
  ) throws(SeedError) -> Row? {
    try all(query.with(values.seedValues), TablesRead(), limit: 1) { $0.decoded(as: type) }.first
  }

  /// The one value of a query such as `SELECT count(*) FROM stop`; `nil` where it has no row.
  public func value<Value: Decodable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Value.Type
  ) throws(SeedError) -> Value? { try first(query.with(values.seedValues), as: type) }

  /// All rows, noting what they are read from.
  func all<Row>(
    _ query: SeedQuery, _ reading: TablesRead, limit: Int = .max, _ reader: (Statement) -> StatementRows<Row>
  ) throws(SeedError) -> [Row] {
    try checkEnd()
    do {
      let rows = reader(try connection.readOnlyStatement(query.sql, query.values.bound, reading: reading))
      var all: [Row] = []
      while all.count < limit, let row = try rows.next() { all.append(row) }
      return all
    } catch {
      if (error as? DatabaseError)?.primaryCode == ResultCode.interrupted { try checkEnd() }
      throw SeedError(ofQuery: error)
    }
  }

  /// The tables and views whose changes are known by name, in lower case; what is read of others, as of search tables,
  /// may have changed whatever else did.
  func ordinaryTables() throws(SeedError) -> Set<String> {
    do {
      return Set(
        try connection.rows(
          """
          SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view') \
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'seedbank\\_%' ESCAPE '\\'
          """
        ).compactMap(\.first?.string))
    } catch { throw SeedError(ofQuery: error) }
  }

  private func checkEnd() throws(SeedError) {
    if interrupt.isInterrupted { throw .suspended }
    if Task.isCancelled { throw SeedError(CancellationError()) }
  }
}

extension SeedError {
  /// The failure of an app's query: the app's mistake, unless the file, the disk or another connection is to blame.
  init(ofQuery error: any Error) {
    if let error = error as? SeedError {
      self = error
      return
    }
    let isOurs = (error as? DatabaseError).map { $0.saysDamage || $0.saysObstacle } ?? false
    self = isOurs ? SeedError(error) : SeedError(.query, String(describing: error))
  }
}

extension DatabaseError {
  /// SQLITE_ERROR: a statement does not fit the schema, where every seed has what it asks for.
  var saysMisfit: Bool { primaryCode == 1 }

  /// True where something keeps the file from being read now: a locked device, the disk, memory, another connection.
  var saysObstacle: Bool {
    // The code as such stands for a statement that would write; its extensions for a log that cannot be read yet.
    let isLogUnreadable = primaryCode == ResultCode.readOnly && code != ResultCode.readOnly
    return isLogUnreadable || ResultCode.obstacles.contains(primaryCode)
  }
}

extension ResultCode {
  fileprivate static let obstacles: Set<Int32> = [denied, busy, noMemory, io, full, cannotOpen, lockProtocol]
}

extension SeedQuery.Values {
  var bound: BoundValues {
    switch self {
    case .inOrder(let values): .inOrder(values)
    case .named(let values): .named(values)
    }
  }
}

/// The rows of a statement, each as what an app wants it to be.
package struct StatementRows<Row> {
  /// The next row; `nil` behind the last.
  package let next: () throws -> Row?
}

extension Statement {
  /// Rows as they are.
  package func seedRows() -> StatementRows<SeedRow> {
    let names = columnNames
    return StatementRows { try self.step() ? SeedRow(names: names, values: try self.row()) : nil }
  }

  /// Rows as values of a type.
  package func decoded<Row: Decodable>(as type: Row.Type) -> StatementRows<Row> {
    let source = RowSource(self, of: "\(type)")
    let decoder = RowDecoder(source)
    let isValue = type is any ColumnValue.Type
    return StatementRows {
      guard try self.step() else { return nil }
      source.beginRow()
      do {
        return try isValue ? source.onlyValue(as: type) : Row(from: decoder)
      } catch let error where !(error is SeedError) { throw source.failed(error) }
    }
  }
}
