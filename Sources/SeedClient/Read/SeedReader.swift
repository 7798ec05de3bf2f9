import SeedDatabase
public import SeedFormat

/// Reads a seed within one transaction; it cannot leave the closure that it is passed to.
public struct SeedReader: ~Copyable {
  private let connection: Connection
  private let interrupt: InterruptHandle

  init(_ connection: Connection, _ interrupt: InterruptHandle) {
    (self.connection, self.interrupt) = (connection, interrupt)
  }

  /// All rows of a query: one statement that only reads, with a value for each parameter, in order.
  ///
  /// Fails with ``SeedError/Code/cancelled`` once its task is, and with ``SeedError/Code/suspended`` once the store is.
  public func rows(_ sql: String, _ values: SeedValue...) throws(SeedError) -> [SeedRow] {
    try rows(sql, values: values)
  }

  /// The same, for a list of values.
  public func rows(_ sql: String, values: [SeedValue]) throws(SeedError) -> [SeedRow] {
    try checkEnd()
    do {
      let statement = try connection.readOnlyStatement(sql, values)
      let names = statement.columnNames
      var rows: [SeedRow] = []
      while try statement.step() { rows.append(SeedRow(names: names, values: try statement.row())) }
      return rows
    } catch {
      if (error as? DatabaseError)?.primaryCode == ResultCode.interrupted { try checkEnd() }
      throw SeedError(ofQuery: error)
    }
  }

  private func checkEnd() throws(SeedError) {
    if interrupt.isInterrupted { throw .suspended }
    if Task.isCancelled { throw SeedError(CancellationError()) }
  }
}

extension SeedError {
  /// The failure of an app's query: the app's mistake, unless the file, the disk or another connection is to blame.
  init(ofQuery error: any Error) {
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
