package import SeedDatabase
import SeedFormat

/// Reads a seed within one transaction. The reader cannot escape the closure that receives it.
public struct SeedReader: ~Copyable {
  private let connection: Connection
  private let interrupt: InterruptHandle
  private let tables = TablesRead()

  init(_ connection: Connection, _ interrupt: InterruptHandle) {
    (self.connection, self.interrupt) = (connection, interrupt)
  }

  /// Returns all rows of a read-only query.
  public func rows(_ query: SeedQuery) throws -> [SeedRow] { try all(query) { $0.seedRows() } }

  /// Returns all rows of a query, decoded by column name: `routeName` also matches the column `route_name`. A type that
  /// is not an object is decoded from a single column. A dictionary's keys are the column names as the query spells them.
  public func rows<Row: Decodable>(_ query: SeedQuery, as type: Row.Type = Row.self) throws -> [Row] {
    try all(query) { $0.decoded(as: type) }
  }

  /// Returns the first row of a query, if any; reads no further rows.
  public func first(_ query: SeedQuery) throws -> SeedRow? {
    try all(query, limit: 1) { $0.seedRows() }.first
  }

  /// Returns the first row of a query, if any, decoded like those of ``rows(_:as:)``; reads no further rows.
  public func first<Row: Decodable>(_ query: SeedQuery, as type: Row.Type = Row.self) throws -> Row? {
    try all(query, limit: 1) { $0.decoded(as: type) }.first
  }

  /// Returns the single value of a query such as `SELECT max(name) FROM stop`; `nil` for NULL or if there are no rows.
  public func value<Value: Decodable>(_ query: SeedQuery, as type: Value.Type = Value.self) throws -> Value? {
    try all(query, limit: 1) { $0.decoded(as: Value?.self, named: "\(type)") }.first ?? nil
  }

  func all<Row>(
    _ query: SeedQuery, limit: Int = .max, _ reader: (Statement) -> () throws -> Row?
  ) throws(SeedError) -> [Row] {
    try checkEnd()
    do {
      let next = reader(try connection.readOnlyStatement(query.sql, query.values, reading: tables))
      var all: [Row] = []
      while all.count < limit, let row = try next() { all.append(row) }
      return all
    } catch {
      if (error as? DatabaseError)?.primaryCode == ResultCode.interrupted { try checkEnd() }
      throw SeedError(ofQuery: error)
    }
  }

  /// Returns what the queries have read. Returns nil if they read another version than `version`, for example between
  /// two deltas of an update.
  func reading(at version: SeedVersion) throws(SeedError) -> DataEdition.Reading? {
    do {
      guard try SeedTables.meta(connection).version == version else { return nil }
      if try tables.joinsByName(in: connection) { return .all }
      return DataEdition.Reading(tables, ordinary: try ordinaryTables())
    } catch { throw SeedError(error) }
  }

  /// Returns the names of tables and views, in lower case. Omits search tables and tables with generated columns,
  /// because a delta's changes name neither search tables nor generated columns.
  private func ordinaryTables() throws -> Set<String> {
    Set(
      try connection.rows(
        """
        SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view') \
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'seedbank\\_%' ESCAPE '\\'
        AND (type = 'view' OR NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(pragma_table_list.name) WHERE hidden > 1))
        """
      ).compactMap(\.first?.textIfAny))
  }

  private func checkEnd() throws(SeedError) {
    if interrupt.isInterrupted { throw .suspended }
    if Task.isCancelled { throw SeedError(CancellationError()) }
  }
}

extension SeedError {
  /// Attributes a failed query to the app, unless the file, the disk or another connection is at fault.
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
  /// SQLITE_ERROR: the statement does not fit the schema. For the library's own statements this means a damaged file.
  var saysMisfit: Bool { primaryCode == 1 }

  /// True if the file is temporarily unreadable because of a locked device, the disk, memory or another connection.
  var saysObstacle: Bool {
    // SQLITE_READONLY alone means a statement that would write; its extended codes mean a WAL that is not readable yet.
    let isLogUnreadable = primaryCode == ResultCode.readOnly && code != ResultCode.readOnly
    return isLogUnreadable || ResultCode.obstacles.contains(primaryCode)
  }
}

extension ResultCode {
  fileprivate static let obstacles: Set<Int32> = [denied, busy, noMemory, io, full, cannotOpen, lockProtocol]
}

extension Statement {
  package func seedRows() -> () throws -> SeedRow? {
    let names = columnNames
    return { try self.step() ? SeedRow(names: names, values: try self.row()) : nil }
  }

  /// Returns a function that returns the next row. `name` is the type's name in errors.
  package func decoded<Row: Decodable>(as type: Row.Type, named name: String? = nil) -> () throws -> Row? {
    let source = RowSource(self, of: name ?? "\(type)")
    let decoder = RowDecoder(source)
    let isValue = type is any ColumnValue.Type
    return {
      guard try self.step() else { return nil }
      source.beginRow()
      do {
        return try isValue ? source.onlyColumn().decode(type) : Row(from: decoder)
      } catch let error where !(error is SeedError) { throw source.failed(error) }
    }
  }
}
