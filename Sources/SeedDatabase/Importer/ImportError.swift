/// Why rows could not be taken in. Nothing of them is kept: the transaction must be rolled back.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownTable(String)
  case wrongColumns(table: String, found: [String], expected: [String])
  case wrongKey(table: String, found: [String], expected: [String])
  case nullInKey(table: String, column: String)
  case constraint(table: String, key: String, message: String)
  case references(table: String, parent: String, key: String)
  case foreignKeysEnforced

  package var description: String {
    switch self {
    case .unknownTable(let table): "there is no table \"\(table)\""
    case .wrongColumns(let table, let found, let expected):
      "table \"\(table)\": expected the columns \(expected.joined(separator: ", ")), "
        + "found \(found.joined(separator: ", "))"
    case .wrongKey(let table, let found, let expected):
      "table \"\(table)\": expected the key \(expected.joined(separator: ", ")), "
        + "found \(found.joined(separator: ", "))"
    case .nullInKey(let table, let column): "table \"\(table)\": NULL in the key column \"\(column)\""
    case .constraint(let table, let key, let message): "table \"\(table)\", row \(key): \(message)"
    case .references(let table, let parent, let key):
      "table \"\(table)\", row \(key): references a row that table \"\(parent)\" does not have"
    case .foreignKeysEnforced:
      "the connection enforces foreign keys: switch them off outside the transaction, the importer checks them"
    }
  }
}

/// What an import did to one table.
package struct TableChanges: Hashable, Sendable {
  package var inserted = 0
  package var updated = 0
  package var unchanged = 0
  package var deleted = 0

  package init() {}

  /// Whether any row is different now.
  package var isEmpty: Bool { inserted + updated + deleted == 0 }
}

/// What an import did, by table.
package typealias ChangeReport = [String: TableChanges]
