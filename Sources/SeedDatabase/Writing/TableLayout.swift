package import SeedFormat

/// The storage of a seed's table: under its own names, or in an app's table. Deltas and the digest refer only to the
/// logical table, so every layout reaches the same digest. An app's table needs a unique constraint over the key's
/// columns, and must store each value as the logical column would: with the same affinity, and in the key with the same
/// collation.
package struct TableLayout: Sendable {
  /// The table in deltas and the digest.
  package let logical: TableSchema
  /// The same columns in the same order, with their names in the file.
  package let stored: TableSchema
  /// Values of the file's further columns in every new row.
  let constants: [Constant]

  struct Constant: Sendable {
    let column: String
    let value: SeedValue
  }

  /// The default layout.
  package init(_ table: TableSchema) {
    logical = table
    stored = table
    constants = []
  }

  /// A layout in `physical`; `columns` maps names, and `constants` are the values of further columns in new rows.
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

/// The layouts of a seed's tables; unlisted ones have the default layout.
package struct SeedLayout: Sendable {
  private var layouts: [String: TableLayout] = [:]

  package init(_ layouts: [TableLayout] = []) {
    for layout in layouts { self.layouts[layout.logical.name] = layout }
  }

  subscript(_ table: TableSchema) -> TableLayout { layouts[table.name] ?? TableLayout(table) }
}

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
      "table \"\(table)\", column \"\(column)\": it gets no value, so give the layout a constant"
    }
  }
}
