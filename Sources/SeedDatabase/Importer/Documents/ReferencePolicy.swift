import SeedFormat

/// Does about references to nowhere what the policy says, once all rows are in.
struct ReferencePolicy {
  private let connection: Connection
  private let policy: ImportPolicy.References
  private let issues: IssueCollector
  private let place: RowPlace

  init(
    _ connection: Connection, _ policy: ImportPolicy.References, _ issues: IssueCollector, _ place: RowPlace
  ) {
    self.connection = connection
    self.policy = policy
    self.issues = issues
    self.place = place
  }

  /// Looks at the tables that were touched, and at those that reference them.
  func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    let tables = try SchemaReader(connection).listedTables().filter { $0.kind == "table" }.map(\.name)
    let suspects = try tables.filter { try isSuspect($0, touched) }
    if !suspects.isEmpty { try connection.writeOutCache() }
    for table in suspects { try check(table) }
  }

  private func isSuspect(_ table: String, _ touched: Set<String>) throws -> Bool {
    let parents = try connection.rows(
      #"SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)"#, .text(table))
    guard !parents.isEmpty else { return false }
    return touched.contains(table.lowercased())
      || parents.contains { touched.contains($0[0].text.lowercased()) }
  }

  private func check(_ table: String) throws {
    let violations = try connection.rows(
      "SELECT parent, fkid, count(*) FROM pragma_foreign_key_check(?) GROUP BY parent, fkid", .text(table))
    for violation in violations {
      let columns = try columns(table, violation[1])
      guard case .integer(let count) = violation[2] else { continue }
      let message = "\(count) rows reference rows that table \"\(violation[0].text)\" does not have"
      let refusal = Refusal(.reference, message, column: columns.map(\.child).joined(separator: ", "))
      try settle(table, violation[0].text, columns, refusal)
    }
  }

  private func settle(
    _ table: String, _ parent: String, _ columns: [(child: String, parent: String)], _ refusal: Refusal
  ) throws {
    switch policy {
    case .fail:
      throw ImportFailure(
        .references, "table \"\(table)\", column \"\(refusal.column ?? "")\": \(refusal.message)")
    case .keep: issues.note(refusal, table, place)
    case .null:
      issues.note(refusal, table, place)
      try clear(table, parent, columns)
    }
  }

  /// The reference's columns, a parent's column left out meaning its primary key.
  private func columns(_ table: String, _ id: SeedValue) throws -> [(child: String, parent: String)] {
    let rows = try connection.rows(
      #"SELECT "from", "to", "table" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#,
      .text(table),
      id)
    return try rows.enumerated().map { index, row in
      if row[1] != .null { return (row[0].text, row[1].text) }
      let key = try connection.rows(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", row[2])
      return (row[0].text, index < key.count ? key[index][0].text : "rowid")
    }
  }

  private func clear(
    _ table: String, _ parent: String, _ columns: [(child: String, parent: String)]
  ) throws {
    let child = quoted(table)
    let settings = columns.map { "\(quoted($0.child)) = NULL" }.joined(separator: ", ")
    let present = columns.map { "\(child).\(quoted($0.child)) IS NOT NULL" }.joined(separator: " AND ")
    // The parent's column stands first, for its collation is the one that counts.
    let matches = columns.map { "parent.\(quoted($0.parent)) = \(child).\(quoted($0.child))" }
      .joined(separator: " AND ")
    do throws(DatabaseError) {
      try connection.execute(
        """
        UPDATE OR ABORT \(child) SET \(settings) WHERE \(present)
        AND NOT EXISTS (SELECT 1 FROM \(quoted(parent)) AS parent WHERE \(matches))
        """)
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw ImportFailure(
        .references, "table \"\(table)\": a reference to nowhere cannot become NULL: \(error.message)")
    }
  }
}

/// Rebuilds the FTS5 tables over the content of tables that changed.
struct SearchRebuild {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    let rows = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    for row in rows {
      guard let content = SQLTokens(row[1].text).externalContent, touched.contains(content.lowercased())
      else {
        continue
      }
      let name = quoted(row[0].text)
      try connection.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
    }
  }
}
