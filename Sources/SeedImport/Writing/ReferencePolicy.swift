import SeedDatabase
import SeedFormat

/// Applies the policy to broken references once all rows are written.
struct ReferencePolicy {
  let connection: Connection
  let policy: ImportPolicy.References
  let issues: IssueCollector
  let targets: [ImportTarget]

  private static let namedRows = 3

  /// Returns the cleared references as updates. Clearing a column breaks references to it, so these are cleared next.
  func run(touched: Set<String>) throws -> ChangeReport {
    guard !touched.isEmpty else { return [:] }
    let names = Set(touched.map(\.foldedName))
    var all: ChangeReport = [:]
    var cleared = try check { names.contains($0.table.foldedName) || names.contains($0.parent.foldedName) }
    while !cleared.isEmpty {
      for (reference, count) in cleared { all[reference.table, default: TableChanges()].updated += count }
      let latest = cleared
      cleared = try check { reference in latest.contains { reference.depends(on: $0.reference) } }
    }
    return all
  }

  /// The tables in which `run` may clear references if the import changes `tables`.
  func clearableTables(changing tables: Set<String>) throws -> Set<String> {
    let reader = SchemaReader(connection)
    var (found, queue) = (Set<String>(), try tables.flatMap { try reader.foreignKeys(to: $0).map(\.table) })
    while let table = queue.popLast() {
      let clearable = try reader.foreignKeys(of: table).filter { try !isInKey($0) }
      guard !clearable.isEmpty, found.insert(table).inserted else { continue }
      queue += try reader.foreignKeys(to: table)
        .filter { reference in clearable.contains { reference.depends(on: $0) } }.map(\.table)
    }
    return found
  }

  /// Handles all broken references of each table that has a suspect one. Returns the cleared references with the number
  /// of rows.
  private func check(
    _ isSuspect: (ForeignKeySchema) -> Bool
  ) throws -> [(reference: ForeignKeySchema, count: Int)] {
    let reader = SchemaReader(connection)
    let tables = try reader.listedTables().filter { $0.kind == "table" }.map(\.name)
    let suspects = try tables.filter { try reader.foreignKeys(of: $0).contains(where: isSuspect) }
    if !suspects.isEmpty { try connection.writeOutCache() }
    let handled = try suspects.flatMap { table in
      try brokenReferences(of: table).map { (reference: $0.stored, count: try handle($0)) }
    }
    return handled.filter { $0.count > 0 }
  }

  /// Returns the number of cleared references.
  private func handle(_ reference: BrokenReference) throws -> Int {
    let rows = try rows(of: reference)
    let message = Self.describe(reference, rows)
    if policy == .fail {
      throw ImportFailure(
        .references,
        "\(reference.place): \(message): import the referenced rows too, or clear such references with "
          + "'--references null', or keep them with '--references keep' (ImportPolicy.References); the policy for bad "
          + "rows does not apply to references")
    }
    issues.note(
      RejectedRow(.reference, message, column: reference.columnList, key: rows.first?.key),
      reference.stored.table)
    return policy == .null ? try clear(reference, message) : 0
  }

  private static func describe(_ reference: BrokenReference, _ rows: [ReferencingRow]) -> String {
    let (count, named) = (reference.count, rows.map { "\($0.key) has \($0.values)" }.joined(separator: "; "))
    let list = named.isEmpty ? "" : count > namedRows ? " (\(named); …)" : " (\(named))"
    let missing = count == 1 ? "1 row references a missing row" : "\(count) rows reference missing rows"
    return "\(missing) of table \"\(reference.stored.parent)\"\(list.printable)"
  }

  private func clear(_ reference: BrokenReference, _ message: String) throws -> Int {
    if try isInKey(reference.stored) {
      throw unclearable(reference, message, ", because it is part of the table's key")
    }
    let settings = reference.stored.columns.map { "\(quoted($0)) = NULL" }.joined(separator: ", ")
    do throws(DatabaseError) {
      try connection.execute(
        "UPDATE OR ABORT \(quoted(reference.stored.table)) AS child SET \(settings) WHERE \(reference.condition)"
      )
      return connection.changes
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw unclearable(reference, message, " (\(error.message))")
    }
  }

  /// SQLite itself accepts NULL in a primary key, and then finds no row with the key again.
  private func isInKey(_ reference: ForeignKeySchema) throws -> Bool {
    let primary = try connection.rows(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0", .text(reference.table)
    ).map(\.[0].text)
    let mapped = targets.first { $0.table.name == reference.table }?.table.keyNames ?? []
    return !Set(primary + mapped).isDisjoint(with: reference.columns)
  }

  private func unclearable(_ broken: BrokenReference, _ message: String, _ cause: String) -> ImportFailure {
    ImportFailure(
      .references,
      "\(broken.place): \(message), and it cannot become NULL\(cause): import the referenced rows too, or keep "
        + "such references with '--references keep' (ImportPolicy.References)")
  }

  // MARK: Finding broken references

  private struct BrokenReference {
    let stored: ForeignKeySchema
    let count: Int
    let hasParent: Bool

    var columnList: String { stored.columns.joined(separator: ", ") }

    var place: String { "table \"\(stored.table)\", column \"\(columnList)\"" }

    /// The SQL condition for the rows, with the table aliased as `child`.
    var condition: String {
      if hasParent { return orphanCondition(stored.columns, stored.parent, stored.parentColumns) }
      return stored.columns.map { "child.\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    }
  }

  private typealias ReferencingRow = (key: String, values: String)

  private func brokenReferences(of table: String) throws -> [BrokenReference] {
    let references = try SchemaReader(connection).foreignKeys(of: table)
    return try violations(of: table).compactMap { violation in
      guard case .integer(let count) = violation[1],
        let stored = references.first(where: { violation[0] == .integer($0.number) })
      else { return nil }
      let found = try connection.rows(
        "SELECT 1 FROM pragma_table_list(?) WHERE schema = 'main'", .text(stored.parent))
      return BrokenReference(stored: stored, count: Int(count), hasParent: !found.isEmpty)
    }
  }

  private func violations(of table: String) throws -> [[SeedValue]] {
    do {
      return try connection.rows(
        "SELECT fkid, count(*) FROM pragma_foreign_key_check(?) GROUP BY fkid", .text(table))
    } catch let error as DatabaseError {
      guard error.message.hasPrefix("foreign key mismatch") else { throw error }
      throw ImportFailure(
        .schema,
        "references of table \"\(table)\" cannot be checked: \(error.message): create a unique index over the "
          + "referenced columns, or remove the reference from the schema")
    }
  }

  /// The first rows with the broken reference; empty if the table has no key that identifies them.
  private func rows(of reference: BrokenReference) throws -> [ReferencingRow] {
    let stored = reference.stored
    guard let names = try? SchemaReader(connection).table(stored.table).keyNames else { return [] }
    let columns = (names + stored.columns).map { "child.\(quoted($0))" }.joined(separator: ", ")
    let rows = try connection.rows(
      "SELECT \(columns) FROM \(quoted(stored.table)) AS child WHERE \(reference.condition) LIMIT \(Self.namedRows)"
    )
    return rows.map { row in
      (
        rowDescription(names, Array(row.prefix(names.count))),
        rowDescription(stored.columns, Array(row.dropFirst(names.count)))
      )
    }
  }
}

extension ForeignKeySchema {
  /// Whether clearing the other reference's columns may break this one.
  fileprivate func depends(on cleared: Self) -> Bool {
    parent.foldedName == cleared.table.foldedName
      && !Set(parentColumns.map(\.foldedName)).isDisjoint(with: cleared.columns.map(\.foldedName))
  }
}
