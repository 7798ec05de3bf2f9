import SeedDatabase
import SeedFormat

/// A reference of one table, with rows that reference nothing.
struct BrokenReference {
  let table: String
  let parent: String
  /// Its number among the table's references.
  let id: SeedValue
  /// Rows that reference nothing.
  let count: Int
  let columns: [(child: String, parent: String)]
  /// Whether there is such a table at all.
  let hasParent: Bool

  var columnList: String { columns.map(\.child).joined(separator: ", ") }

  /// What is true of its rows, the table being called `child`.
  var condition: String {
    let present = columns.map { "child.\(quoted($0.child)) IS NOT NULL" }.joined(separator: " AND ")
    guard hasParent else { return present }
    // The parent's column counts: it stands first for its collation, and the plus takes the child's type away.
    let matches = columns.map { "parent.\(quoted($0.parent)) = +child.\(quoted($0.child))" }
      .joined(separator: " AND ")
    return "\(present) AND NOT EXISTS (SELECT 1 FROM \(quoted(parent)) AS parent WHERE \(matches))"
  }
}

/// Finds rows that reference nothing.
struct OrphanSearch {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The table's references that lead nowhere from some row.
  func brokenReferences(of table: String) throws -> [BrokenReference] {
    try violations(of: table).map { violation in
      let parent = violation[0].text
      let count = if case .integer(let count) = violation[2] { Int(count) } else { 0 }
      let found = try connection.rows(
        "SELECT 1 FROM pragma_table_list(?) WHERE schema = 'main'", .text(parent))
      return BrokenReference(
        table: table, parent: parent, id: violation[1], count: count,
        columns: try columns(table, violation[1]), hasParent: !found.isEmpty)
    }
  }

  private func violations(of table: String) throws -> [[SeedValue]] {
    do {
      return try connection.rows(
        "SELECT parent, fkid, count(*) FROM pragma_foreign_key_check(?) GROUP BY parent, fkid", .text(table))
    } catch let error as DatabaseError {
      guard error.message.hasPrefix("foreign key mismatch") else { throw error }
      throw ImportFailure(
        .schema,
        "references of table \"\(table)\" cannot be checked: \(error.message): create a unique index over the "
          + "columns that are referenced, or take the reference out of the schema")
    }
  }

  /// The reference's columns, a parent's column left out meaning its primary key.
  private func columns(_ table: String, _ id: SeedValue) throws -> [(child: String, parent: String)] {
    let rows = try connection.rows(
      #"SELECT "from", "to", "table" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#,
      .text(table), id)
    return try rows.enumerated().map { index, row in
      if row[1] != .null { return (row[0].text, row[1].text) }
      let key = try connection.rows(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", row[2])
      return (row[0].text, index < key.count ? key[index][0].text : "rowid")
    }
  }

  /// The first rows that reference nothing, as messages name them; none where the table has no key to name them by.
  func keys(of reference: BrokenReference, limit: Int) throws -> [String] {
    guard let names = try? SchemaReader(connection).table(reference.table).keyNames else { return [] }
    let columns = names.map { "child.\(quoted($0))" }.joined(separator: ", ")
    let rows = try connection.rows(
      "SELECT \(columns) FROM \(quoted(reference.table)) AS child WHERE \(reference.condition) LIMIT \(limit)"
    )
    return rows.map { rowDescription(names, $0) }
  }
}
