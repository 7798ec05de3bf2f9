package import SeedDatabase
import SeedFormat

/// What one table of two databases has apart.
package struct TableComparison: Sendable {
  /// Whether both sides have the table.
  package enum Presence: String, Sendable {
    case both, onlyOld, onlyNew
    /// Both have it, with keys that cannot be compared.
    case otherKey
  }

  package let name: String
  package let presence: Presence
  package var changes = TableChanges()
  /// Columns that only one side has; their values are not compared.
  package var removedColumns: [String] = []
  package var addedColumns: [String] = []

  /// Whether there is nothing to tell.
  package var isSame: Bool {
    presence == .both && changes.isEmpty && removedColumns.isEmpty && addedColumns.isEmpty
  }
}

/// Compares the rows of two databases table by table, in key order: two rows are in memory, never a table.
package struct SeedComparison {
  private let old: Connection
  private let new: Connection
  private let schemas: (old: DatabaseSchema, new: DatabaseSchema)

  /// Two open databases, whose tables must have keys.
  package init(old: Connection, new: Connection) throws {
    self.old = old
    self.new = new
    schemas = (try SchemaReader(old).schema(), try SchemaReader(new).schema())
  }

  /// Hands each row that differs to `tell`; returns what is different in every table, by name.
  package func run(_ tell: (RowDifference) throws -> Void) throws -> [TableComparison] {
    let names = Set(schemas.old.tables.map(\.name)).union(schemas.new.tables.map(\.name))
    return try names.sorted().map { try compare($0, tell) }
  }

  private func compare(_ name: String, _ tell: (RowDifference) throws -> Void) throws -> TableComparison {
    let before = schemas.old.tables.first { $0.name == name }
    let after = schemas.new.tables.first { $0.name == name }
    switch (before, after) {
    case (let before?, let after?): return try compare(before, after, tell)
    case (let before?, nil):
      var found = TableComparison(name: name, presence: .onlyOld)
      found.changes = try RowComparison(before, before).run(old, nil, tell)
      return found
    case (nil, let after?):
      var found = TableComparison(name: name, presence: .onlyNew)
      found.changes = try RowComparison(after, after).run(nil, new, tell)
      return found
    case (nil, nil): preconditionFailure("the name came from one of the two schemas")
    }
  }

  private func compare(
    _ before: TableSchema, _ after: TableSchema, _ tell: (RowDifference) throws -> Void
  ) throws -> TableComparison {
    let isSameKey = before.keyNames == after.keyNames && before.keyCollations == after.keyCollations
    var found = TableComparison(name: after.name, presence: isSameKey ? .both : .otherKey)
    found.removedColumns = before.columnNames.filter { !after.columnNames.contains($0) }
    found.addedColumns = after.columnNames.filter { !before.columnNames.contains($0) }
    guard isSameKey else { return found }
    found.changes = try RowComparison(before, after).run(old, new, tell)
    return found
  }
}
