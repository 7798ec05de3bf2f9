import SeedFormat

/// A foreign key as SQLite stores it.
package struct StoredReference: Hashable, Sendable {
  /// The constraint's number in its table, as in `foreign_key_check`.
  package let number: Int64
  package let table: String
  package let columns: [String]
  /// The referenced table, which may be missing.
  package let parent: String
  /// The referenced columns, even if the constraint does not name them.
  package let parentColumns: [String]
  /// The action on deletion of the parent, such as `SET NULL`.
  package let onDelete: String
}

extension SchemaReader {
  package func references(of table: String) throws -> [StoredReference] {
    let rows = try connection.rows(
      #"""
      SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq
      """#, .text(table))
    let numbers = Set(rows.map(\.[0].integer)).sorted()
    return try numbers.map { number in
      try reference(number, of: table, rows.filter { $0[0].integer == number })
    }
  }

  package func references(to parent: String) throws -> [StoredReference] {
    let children = try connection.rows(
      #"""
      SELECT DISTINCT child.name FROM sqlite_schema AS child
      JOIN pragma_foreign_key_list(child.name) AS reference WHERE child.type = 'table' AND lower(reference."table") = lower(?) ORDER BY child.name
      """#, .text(parent))
    return try children.flatMap { try references(of: $0[0].text) }
      .filter { $0.parent.lowercased() == parent.lowercased() }
  }

  private func reference(_ number: Int64, of table: String, _ parts: [[SeedValue]]) throws -> StoredReference
  {
    let parent = parts[0][1].text
    // A foreign key without named columns references the parent's primary key.
    let key = try connection.rows(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(parent)
    ).map(\.[0].text)
    let referenced = parts.enumerated().map { place, part in
      part[3].textIfAny ?? (place < key.count ? key[place] : RowidName.usual)
    }
    return StoredReference(
      number: number, table: table, columns: parts.map(\.[2].text), parent: parent, parentColumns: referenced,
      onDelete: parts[0][4].text)
  }
}

/// Names of a rowid in SQL.
package enum RowidName {
  static let usual = "rowid"

  /// The first of SQLite's three names that is not in `columns`; nil if all are taken.
  package static func free(besides columns: [String]) -> String? {
    let taken = Set(columns.map { $0.lowercased() })
    return [usual, "oid", "_rowid_"].first { !taken.contains($0) }
  }
}

extension SeedValue {
  fileprivate var integer: Int64 { if case .integer(let value) = self { value } else { 0 } }
}
