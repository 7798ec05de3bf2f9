package import SeedDatabase
package import SeedFormat

/// One key whose row is not the same on both sides.
package struct RowDifference: Sendable {
  package let table: TableSchema
  /// The columns that both sides have and that `old` and `new` hold, in order.
  package let columns: [String]
  package let key: [SeedValue]
  /// `nil` where the row is new.
  package let old: [SeedValue]?
  /// `nil` where the row is gone.
  package let new: [SeedValue]?
}

/// Walks one table of two databases in key order and tells the rows that differ, one at a time.
struct RowComparison {
  private let table: TableSchema
  private let columns: [String]
  private let order: KeyOrder

  /// Compares the columns that both sides have; the key must be the same.
  init(_ old: TableSchema, _ new: TableSchema) {
    table = new
    columns = new.columnNames.filter { old.columnNames.contains($0) }
    order = KeyOrder(new)
  }

  /// Hands each difference to `tell`, and counts them.
  func run(
    _ old: Connection?, _ new: Connection?, _ tell: (RowDifference) throws -> Void
  ) throws -> TableChanges {
    let sides = (try old.map { try Side($0, sql, table) }, try new.map { try Side($0, sql, table) })
    var changes = TableChanges()
    try sides.0?.advance()
    try sides.1?.advance()
    while true {
      switch lowest(sides.0, sides.1) {
      case .none: return changes
      case .old(let side):
        changes.deleted += 1
        try tell(difference(side.key, old: side.row, new: nil))
        try side.advance()
      case .new(let side):
        changes.inserted += 1
        try tell(difference(side.key, old: nil, new: side.row))
        try side.advance()
      case .both(let before, let after):
        if before.row != after.row {
          changes.updated += 1
          try tell(difference(after.key, old: before.row, new: after.row))
        }
        try before.advance()
        try after.advance()
      }
    }
  }

  /// On which side the lowest key stands.
  private enum Lowest {
    case none
    case old(Side)
    case new(Side)
    case both(Side, Side)
  }

  private func lowest(_ old: Side?, _ new: Side?) -> Lowest {
    let (old, new) = (old?.hasRow == true ? old : nil, new?.hasRow == true ? new : nil)
    switch (old, new) {
    case (nil, nil): return .none
    case (let old?, nil): return .old(old)
    case (nil, let new?): return .new(new)
    case (let old?, let new?):
      let comparison = order.compare(old.key, new.key)
      return comparison < 0 ? .old(old) : comparison > 0 ? .new(new) : .both(old, new)
    }
  }

  private func difference(_ key: [SeedValue], old: [SeedValue]?, new: [SeedValue]?) -> RowDifference {
    RowDifference(table: table, columns: columns, key: key, old: old, new: new)
  }

  /// The key's columns first, whatever their place in the table.
  private var sql: String {
    let names = (table.keyNames + columns).map(quoted).joined(separator: ", ")
    return "SELECT \(names) FROM \(quoted(table.name)) ORDER BY \(TableSQL(table).keyOrder)"
  }
}

/// One side's rows, one at a time.
private final class Side {
  private let statement: Statement
  private let keyCount: Int
  private(set) var hasRow = false
  private(set) var key: [SeedValue] = []
  private(set) var row: [SeedValue] = []

  init(_ connection: Connection, _ sql: String, _ table: TableSchema) throws {
    statement = try connection.prepare(sql)
    keyCount = table.key.count
  }

  func advance() throws {
    hasRow = try statement.step()
    guard hasRow else { return }
    let values = try statement.row()
    key = Array(values[..<keyCount])
    row = Array(values[keyCount...])
  }
}
