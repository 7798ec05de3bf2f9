import SeedDatabase
public import SeedFormat

/// Reads a seed within one transaction; it cannot leave the closure that it was given to.
public struct SeedReader: ~Copyable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// All rows of a query, its parameters bound to `values` in order.
  public func rows(_ sql: String, _ values: SeedValue...) throws(SeedError) -> [SeedRow] {
    try rows(sql, values: values)
  }

  /// The same, for values whose number is known at run time alone.
  public func rows(_ sql: String, values: [SeedValue]) throws(SeedError) -> [SeedRow] {
    do {
      let statement = try connection.prepare(sql)
      try statement.bind(values)
      let names = statement.columnNames
      var rows: [SeedRow] = []
      while try statement.step() { rows.append(SeedRow(names: names, values: try statement.row())) }
      return rows
    } catch {
      let isDamage = (error as? DatabaseError)?.saysDamage ?? false
      throw SeedError(isDamage ? .damaged : .query, String(describing: error))
    }
  }
}

extension DatabaseError {
  /// Whether the file is at fault, whatever was asked of it.
  var saysDamage: Bool { [ResultCode.corrupt, ResultCode.notADatabase].contains(primaryCode) }
}
