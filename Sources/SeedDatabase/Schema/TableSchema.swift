package import SeedFormat

/// What a column's declared type makes SQLite do to a value that is stored in it.
package enum Affinity: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// The rules of SQLite's "Datatypes" page, §3.1, in their order.
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

  /// Whether a column of it makes numbers of texts that spell them.
  package var isOfNumbers: Bool {
    switch self {
    case .integer, .real, .numeric: true
    case .text, .blob: false
    }
  }
}

/// The collations that every SQLite has; all others are refused, for a client may lack them.
package enum Collation: String, Hashable, Sendable {
  case binary = "BINARY"
  case noCase = "NOCASE"
  case rightTrim = "RTRIM"
}

/// One column that holds data. Generated columns are not here: they are never sent and never hashed.
package struct ColumnSchema: Hashable, Sendable {
  package let name: String
  package let declaredType: String
  package let affinity: Affinity
  package let isNotNull: Bool
  /// The default's SQL, as written.
  package let defaultSQL: String?
  package let collation: Collation
}

extension ColumnSchema {
  /// A column of which nothing is said but its type and its collation, in a table that is not STRICT.
  package init(_ name: String, declaredType: String, collation: Collation = .binary) {
    self.init(
      name: name, declaredType: declaredType,
      affinity: Affinity(declaredType: declaredType, isStrict: false), isNotNull: false, defaultSQL: nil,
      collation: collation)
  }
}

/// One reference from a table's columns to another table's.
package struct ForeignKeySchema: Hashable, Sendable {
  package let columns: [String]
  package let parent: String
  /// Empty where the reference names none and so means the parent's primary key.
  package let parentColumns: [String]
  package let onUpdate: String
  package let onDelete: String
}

/// One table, read back from SQLite.
package struct TableSchema: Hashable, Sendable {
  package let name: String
  /// The stored columns, in declared order: the order of canonical rows.
  package let columns: [ColumnSchema]
  /// Generated columns by name, for messages and projections.
  package let generated: [String]
  /// The key's columns, as indexes into ``columns``, in the key's own order.
  package let key: [Int]
  /// How each key column is compared and ordered.
  package let keyCollations: [Collation]
  package let isWithoutRowid: Bool
  package let isStrict: Bool
  package let foreignKeys: [ForeignKeySchema]
  /// Whether some unique constraint or index besides the key can be violated by a change.
  package let hasOtherUnique: Bool

  /// The names of the stored columns.
  package var columnNames: [String] { columns.map(\.name) }

  /// The names of the key's columns.
  package var keyNames: [String] { key.map { columns[$0].name } }

  /// The same table with another key, over which it has a unique index.
  package func keyed(by key: [Int]) -> TableSchema {
    TableSchema(
      name: name, columns: columns, generated: generated, key: key,
      keyCollations: key.map { columns[$0].collation }, isWithoutRowid: isWithoutRowid, isStrict: isStrict,
      foreignKeys: foreignKeys, hasOtherUnique: true)
  }

  /// The key's values out of a whole row.
  package func keyValues(of row: [SeedValue]) -> [SeedValue] { key.map { row[$0] } }
}
