import SeedDatabase
import SeedFormat

/// Handles rows that reference nothing as the policy says, once all rows are in.
struct ReferencePolicy {
  let connection: Connection
  let policy: ImportPolicy.References
  let issues: IssueCollector
  let place: RowPlace

  private static let namedRows = 3
  /// Rows that are compared with those before the import.
  private static let comparedRows = 10_000

  func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    let tables = try SchemaReader(connection).listedTables().filter { $0.kind == "table" }.map(\.name)
    let suspects = try tables.filter { try isSuspect($0, touched) }
    if !suspects.isEmpty { try connection.writeOutCache() }
    for table in suspects {
      for reference in try brokenReferences(of: table) { try handle(reference) }
    }
  }

  private func isSuspect(_ table: String, _ touched: Set<String>) throws -> Bool {
    let parents = try connection.rows(
      #"SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)"#, .text(table))
    guard !parents.isEmpty else { return false }
    return touched.contains(table.lowercased())
      || parents.contains { touched.contains($0[0].text.lowercased()) }
  }

  private func handle(_ reference: BrokenReference) throws {
    if policy == .fail { try fail(reference) }
    try note(reference)
    if policy == .null { try clear(reference) }
  }

  private func note(_ reference: BrokenReference) throws {
    let keys = try keys(of: reference, limit: Self.namedRows)
    let message = Self.describe(reference.count, reference, keys)
    try issues.note(
      RejectedRow(.reference, message, column: reference.columnList, key: keys.first), reference.table, place)
  }

  /// Takes the import back first: what referenced nothing before is not its fault.
  private func fail(_ reference: BrokenReference) throws -> Never {
    let keys = try keys(of: reference, limit: Self.comparedRows)
    var earlier = (count: 0, keys: Set<String>())
    if issues.isOneTransaction {
      try connection.execute("ROLLBACK")
      earlier.count = try brokenReferences(of: reference.table).first { $0.id == reference.id }?.count ?? 0
      if earlier.count > 0 { earlier.keys = Set(try self.keys(of: reference, limit: Self.comparedRows)) }
    }
    let new = keys.filter { !earlier.keys.contains($0) }
    let message = Self.describe(reference.count, reference, new.isEmpty ? keys : new)
    let before = Self.describe(earlier: earlier.count, of: reference.count)
    throw ImportFailure(
      .references,
      "table \"\(reference.table)\", column \"\(reference.columnList)\": \(message)\(before): import what is "
        + "referenced too, or let such references become null, or keep them")
  }

  private static func describe(_ count: Int, _ reference: BrokenReference, _ keys: [String]) -> String {
    let named = keys.prefix(namedRows).joined(separator: "; ")
    let list = named.isEmpty ? "" : count > namedRows ? " (\(named); …)" : " (\(named))"
    let what = count == 1 ? "1 row references a row" : "\(count) rows reference rows"
    return "\(what) that table \"\(reference.parent)\" does not have\(list)"
  }

  private static func describe(earlier: Int, of count: Int) -> String {
    switch earlier {
    case 0: ""
    case count...: ", as before this import"
    default: ", \(earlier) of them already before this import"
    }
  }

  private func clear(_ reference: BrokenReference) throws {
    let settings = reference.columns.map { "\(quoted($0)) = NULL" }.joined(separator: ", ")
    do throws(DatabaseError) {
      try connection.execute(
        "UPDATE OR ABORT \(quoted(reference.table)) AS child SET \(settings) WHERE \(reference.condition)")
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw ImportFailure(
        .references, "table \"\(reference.table)\": a broken reference cannot become NULL: \(error.message)")
    }
  }

  // MARK: Finding them

  private struct BrokenReference {
    let table: String
    let parent: String
    let id: SeedValue
    let count: Int
    let columns: [String]
    let parentColumns: [String]
    let hasParent: Bool

    var columnList: String { columns.joined(separator: ", ") }

    /// What is true of its rows, the table being called `child`.
    var condition: String {
      if hasParent { return orphanCondition(columns, parent, parentColumns) }
      return columns.map { "child.\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    }
  }

  private func brokenReferences(of table: String) throws -> [BrokenReference] {
    try violations(of: table).map { violation in
      let parent = violation[0].text
      let columns = try connection.rows(
        #"SELECT "from", "to" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#, .text(table),
        violation[1])
      // A reference that names no columns means the parent's primary key.
      let key = try connection.rows(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(parent))
      let found = try connection.rows(
        "SELECT 1 FROM pragma_table_list(?) WHERE schema = 'main'", .text(parent))
      guard case .integer(let count) = violation[2] else { preconditionFailure("count(*) is an integer") }
      return BrokenReference(
        table: table, parent: parent, id: violation[1], count: Int(count),
        columns: columns.map { $0[0].text },
        parentColumns: columns.enumerated().map { index, row in
          row[1] != .null ? row[1].text : index < key.count ? key[index][0].text : "rowid"
        }, hasParent: !found.isEmpty)
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
          + "referenced columns, or remove the reference from the schema")
    }
  }

  /// The first rows that reference nothing, as messages name them; none where the table has no key to name them by.
  private func keys(of reference: BrokenReference, limit: Int) throws -> [String] {
    guard let names = try? SchemaReader(connection).table(reference.table).keyNames else { return [] }
    let columns = names.map { "child.\(quoted($0))" }.joined(separator: ", ")
    let rows = try connection.rows(
      "SELECT \(columns) FROM \(quoted(reference.table)) AS child WHERE \(reference.condition) LIMIT \(limit)"
    )
    return rows.map { rowDescription(names, $0) }
  }
}
