import SeedDatabase
package import SeedFormat

/// The origin's order of keys is not the client's: the rows must be staged.
package struct OutOfOrder: Error {
  package init() {}
}

/// Projected rows as the client would store them, in any order.
package final class UnorderedRows {
  private let statement: Statement
  private let table: TableSchema
  private let fitter: AffinityFitter

  init(_ statement: Statement, _ table: TableSchema, _ fitter: AffinityFitter) {
    self.statement = statement
    self.table = table
    self.fitter = fitter
  }

  /// The next row; `nil` behind the last.
  package func next() throws -> [SeedValue]? {
    guard try step() else { return nil }
    let row = try fitter.fit(try current(), to: table)
    for index in table.key where row[index] == .null {
      throw OriginError.nullInKey(table: table.name, column: table.columns[index].name)
    }
    return row
  }

  private func step() throws(OriginError) -> Bool {
    do {
      return try statement.step()
    } catch {
      throw .unreadable(path: statement.path, reason: error)
    }
  }

  private func current() throws(OriginError) -> [SeedValue] {
    do {
      return try statement.row()
    } catch {
      throw .invalidText(table: table.name, column: error.column, key: keyDescription())
    }
  }

  private func keyDescription() -> String {
    let values = table.key.map { (try? statement.value($0)) ?? .text("(not UTF-8)") }
    return rowDescription(table.keyNames, values)
  }
}

/// Projected rows in strictly rising key order.
package final class KeyedRows {
  private let rows: UnorderedRows
  private let table: TableSchema
  private let order: KeyOrder
  private var previous: [SeedValue]?

  init(_ statement: Statement, _ table: TableSchema, _ fitter: AffinityFitter) {
    rows = UnorderedRows(statement, table, fitter)
    self.table = table
    order = KeyOrder(table)
  }

  /// The next row; `nil` behind the last. Throws ``OutOfOrder`` where a key is below the one before.
  package func next() throws -> [SeedValue]? {
    guard let row = try rows.next() else { return nil }
    let key = table.keyValues(of: row)
    if let previous {
      let comparison = order.compare(previous, key)
      if comparison > 0 { throw OutOfOrder() }
      if comparison == 0 {
        throw OriginError.duplicateKey(table: table.name, key: rowDescription(table.keyNames, key))
      }
    }
    previous = key
    return row
  }
}
