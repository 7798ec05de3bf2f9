package import SeedFormat

/// A column's type affinity, which decides how SQLite converts values.
package enum Affinity: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// The rules of SQLite's "Datatypes" page, §3.1, in order.
  package init(declaredType: String, isStrict: Bool) {
    let type = declaredType.uppercased()
    func names(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    self =
      if names("INT") { .integer } else if names("CHAR", "CLOB", "TEXT") {
        .text
      } else if type.isEmpty || names("BLOB") || (isStrict && type == "ANY") {
        .blob
      } else if names("REAL", "FLOA", "DOUB") { .real } else { .numeric }
  }

  /// Whether a column converts texts that spell numbers.
  package var isOfNumbers: Bool {
    switch self {
    case .integer, .real, .numeric: true
    case .text, .blob: false
    }
  }
}

/// SQLite's built-in collations; others are rejected because clients may lack them.
package enum Collation: String, Hashable, Sendable {
  case binary = "BINARY"
  case noCase = "NOCASE"
  case rightTrim = "RTRIM"
}

/// A stored column. Generated columns are never sent and never hashed.
package struct ColumnSchema: Hashable, Sendable {
  package let name: String
  package let declaredType: String
  package let affinity: Affinity
  package let isNotNull: Bool
  package let defaultSQL: String?
  package let collation: Collation
}

extension ColumnSchema {
  /// A column with type and collation only, in a table that is not STRICT.
  package init(_ name: String, declaredType: String, collation: Collation = .binary) {
    self.init(
      name: name, declaredType: declaredType,
      affinity: Affinity(declaredType: declaredType, isStrict: false), isNotNull: false, defaultSQL: nil,
      collation: collation)
  }
}

package struct ForeignKeySchema: Hashable, Sendable {
  package let columns: [String]
  package let parent: String
  /// Empty if the constraint names no columns and so references the parent's primary key.
  package let parentColumns: [String]
  package let onUpdate: String
  package let onDelete: String
}

/// A table as read back from SQLite.
package struct TableSchema: Hashable, Sendable {
  package let name: String
  /// The stored columns in declared order, which is the order of canonical rows.
  package let columns: [ColumnSchema]
  /// Names of generated columns, for messages and projections.
  package let generated: [String]
  /// Indexes into ``columns``, in the key's order.
  package let key: [Int]
  package let keyCollations: [Collation]
  package let isWithoutRowid: Bool
  package let isStrict: Bool
  package let foreignKeys: [ForeignKeySchema]
  /// Whether a change can violate a unique constraint or index other than the key.
  package let hasOtherUnique: Bool

  package var columnNames: [String] { columns.map(\.name) }

  package var keyNames: [String] { key.map { columns[$0].name } }

  /// The same table with another key, which has a unique index.
  package func keyed(by key: [Int]) -> TableSchema {
    TableSchema(
      name: name, columns: columns, generated: generated, key: key,
      keyCollations: key.map { columns[$0].collation }, isWithoutRowid: isWithoutRowid, isStrict: isStrict,
      foreignKeys: foreignKeys, hasOtherUnique: true)
  }

  package func keyValues(of row: [SeedValue]) -> [SeedValue] { key.map { row[$0] } }
}
