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

  /// Whether a column converts numeric strings to numbers.
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

  /// The column without NOT NULL and default.
  package var nullable: ColumnSchema {
    ColumnSchema(
      name: name, declaredType: declaredType, affinity: affinity, isNotNull: false, defaultSQL: nil,
      collation: collation)
  }

  /// The default as an expression. A bare or quoted name after DEFAULT is a string; in an expression it is a column.
  package var defaultExpression: String? {
    guard let sql = defaultSQL.map({ Array($0.utf8) }), let token = SQLScanner.tokens(of: sql).first,
      token.range.count == sql.count, Self.isName(token, in: sql)
    else { return defaultSQL }
    return "'\(token.name(in: sql).replacing("'", with: "''"))'"
  }

  private static let constants: Set<String> = [
    "NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
  ]

  private static func isName(_ token: SQLScanner.Token, in sql: [UInt8]) -> Bool {
    if token.isQuoted { return sql[0] != UInt8(ascii: "'") }
    // A bare token is a name or a number.
    return !constants.contains(token.keyword) && !"0123456789.".utf8.contains(sql[0])
  }
}

package struct ForeignKeySchema: Hashable, Sendable {
  /// The constraint's number in its table, as in `foreign_key_check`.
  package let number: Int64
  package let table: String
  package let columns: [String]
  /// The referenced table, which may be missing.
  package let parent: String
  /// The referenced columns, even if the constraint does not name them.
  package let parentColumns: [String]
  /// Empty if the constraint names no columns and so references the parent's primary key.
  package let namedParentColumns: [String]

  /// The named columns, or else the parent's key. Unlike in SQLite, the key may be that of a UNIQUE constraint.
  package func parentColumns(in parent: TableSchema) -> [String] {
    namedParentColumns.isEmpty ? parent.keyNames : namedParentColumns
  }

  /// The actions when the parent is updated or deleted, such as `SET NULL`.
  package let onUpdate: String
  package let onDelete: String
}

package struct TableSchema: Hashable, Sendable {
  package let name: String
  /// The stored columns in declared order, which is the order of canonical rows.
  package let columns: [ColumnSchema]
  package let generated: [String]
  /// Indexes into ``columns``, in the key's order.
  package let key: [Int]
  package let isWithoutRowid: Bool
  package let isStrict: Bool
  package let foreignKeys: [ForeignKeySchema]
  /// Whether a change can violate a unique constraint or index other than the key.
  package let hasOtherUnique: Bool

  package var columnNames: [String] { columns.map(\.name) }

  package var keyNames: [String] { key.map { columns[$0].name } }

  package var keyCollations: [Collation] { key.map { columns[$0].collation } }

  /// The same table with the columns of another unique index as its key.
  package func keyed(by key: [Int]) -> TableSchema {
    TableSchema(
      name: name, columns: columns, generated: generated, key: key, isWithoutRowid: isWithoutRowid,
      isStrict: isStrict, foreignKeys: foreignKeys, hasOtherUnique: true)
  }

  package func keyValues(of row: [SeedValue]) -> [SeedValue] { key.map { row[$0] } }
}

/// The names of a rowid in SQL.
package enum RowidName {
  static let usual = "rowid"

  /// The first of SQLite's three names that is not in `columns`; nil if all are taken.
  package static func free(besides columns: [String]) -> String? {
    let taken = Set(columns.map(\.foldedName))
    return [usual, "oid", "_rowid_"].first { !taken.contains($0) }
  }
}
