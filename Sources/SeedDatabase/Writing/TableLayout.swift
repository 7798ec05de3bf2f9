package import SeedFormat

/// Where a table of a seed lies in the file: under its own names, or in a table that somebody else has laid out.
/// Deltas and the digest speak of the logical table alone, so every layout reaches the same digest. A layout of its
/// own must have a unique constraint over the key's columns, and must store each value as the logical column would:
/// same affinity, and in the key the same collation.
package struct TableLayout: Sendable {
  /// The table as deltas and the digest know it.
  package let logical: TableSchema
  /// The same columns in the same order, by the names that they have in the file.
  package let stored: TableSchema
  /// What every new row has in further columns of the file's table.
  let constants: [Constant]

  struct Constant: Sendable {
    let column: String
    let value: SeedValue
  }

  /// A table that lies in the file as it is.
  package init(_ table: TableSchema) {
    logical = table
    stored = table
    constants = []
  }

  /// A table that lies in `physical`, where `columns` have other names and the rest the `constants` of every new row.
  package init(
    _ logical: TableSchema, in physical: TableSchema, columns: [String: String] = [:],
    constants: [String: SeedValue] = [:]
  ) throws(LayoutProblem) {
    var stored: [ColumnSchema] = []
    for (index, column) in logical.columns.enumerated() {
      let name = columns[column.name] ?? column.name
      guard let found = physical.columns.first(where: { $0.name == name }) else {
        throw .noColumn(table: physical.name, column: name)
      }
      guard found.affinity == column.affinity,
        !logical.key.contains(index) || found.collation == column.collation
      else { throw .otherType(table: physical.name, column: name) }
      stored.append(found)
    }
    self.logical = logical
    self.stored = TableSchema(
      name: physical.name, columns: stored, generated: physical.generated, key: logical.key,
      keyCollations: logical.keyCollations, isWithoutRowid: physical.isWithoutRowid,
      isStrict: physical.isStrict, foreignKeys: logical.foreignKeys, hasOtherUnique: true)
    self.constants = constants.sorted { $0.key < $1.key }.map { Constant(column: $0.key, value: $0.value) }
    try Self.check(physical, Set(stored.map(\.name)), Set(constants.keys))
  }

  /// Every column is given a value by somebody, and by one only.
  private static func check(
    _ physical: TableSchema, _ mapped: Set<String>, _ constants: Set<String>
  ) throws(LayoutProblem) {
    for name in constants where mapped.contains(name) || !physical.columnNames.contains(name) {
      throw .noColumn(table: physical.name, column: name)
    }
    for column in physical.columns where !mapped.contains(column.name) && !constants.contains(column.name) {
      let isRowid = physical.keyNames == [column.name] && column.affinity == .integer
      guard isRowid || !column.isNotNull || column.defaultSQL != nil else {
        throw .noValue(table: physical.name, column: column.name)
      }
    }
  }
}

/// Where the tables of a seed lie; those that it does not name lie in the file as they are.
package struct SeedLayout: Sendable {
  private var layouts: [String: TableLayout] = [:]

  /// A layout of tables that lie elsewhere, if any.
  package init(_ layouts: [TableLayout] = []) {
    for layout in layouts { self.layouts[layout.logical.name] = layout }
  }

  subscript(_ table: TableSchema) -> TableLayout { layouts[table.name] ?? TableLayout(table) }
}

/// Why a table cannot lie where a layout says.
package enum LayoutProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case noColumn(table: String, column: String)
  case otherType(table: String, column: String)
  case noValue(table: String, column: String)

  package var description: String {
    switch self {
    case .noColumn(let table, let column):
      "the layout's table \"\(table)\" has no column \"\(column)\" that could be set"
    case .otherType(let table, let column):
      "table \"\(table)\", column \"\(column)\": it stores values differently from the model's column"
    case .noValue(let table, let column):
      "table \"\(table)\", column \"\(column)\": nothing gives it a value, so give the layout a constant"
    }
  }
}
