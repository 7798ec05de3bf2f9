import SeedDatabase
import SeedFormat

/// Does about references to nowhere what the policy says, once all rows are in.
struct ReferencePolicy {
  private let connection: Connection
  private let policy: ImportPolicy.References
  private let issues: IssueCollector
  private let place: RowPlace
  private let orphans: OrphanSearch

  init(
    _ connection: Connection, _ policy: ImportPolicy.References, _ issues: IssueCollector, _ place: RowPlace
  ) {
    self.connection = connection
    self.policy = policy
    self.issues = issues
    self.place = place
    orphans = OrphanSearch(connection)
  }

  /// Looks at the tables that were touched, and at those that reference them.
  func run(touched: Set<String>) throws {
    let touched = Set(touched.map { $0.lowercased() })
    let tables = try SchemaReader(connection).listedTables().filter { $0.kind == "table" }.map(\.name)
    let suspects = try tables.filter { try isSuspect($0, touched) }
    if !suspects.isEmpty { try connection.writeOutCache() }
    for table in suspects {
      for reference in try orphans.brokenReferences(of: table) { try settle(reference) }
    }
  }

  private func isSuspect(_ table: String, _ touched: Set<String>) throws -> Bool {
    let parents = try connection.rows(
      #"SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)"#, .text(table))
    guard !parents.isEmpty else { return false }
    return touched.contains(table.lowercased())
      || parents.contains { touched.contains($0[0].text.lowercased()) }
  }

  private func settle(_ reference: BrokenReference) throws {
    switch policy {
    case .fail: try fail(reference)
    case .keep: try note(reference)
    case .null:
      try note(reference)
      try clear(reference)
    }
  }

  private func note(_ reference: BrokenReference) throws {
    let keys = try orphans.keys(of: reference, limit: Self.namedRows)
    let message = Self.describe(reference.count, reference, keys)
    issues.note(
      Refusal(.reference, message, column: reference.columnList, key: keys.first), reference.table, place)
  }

  /// Takes the import back first: what referenced nothing before is not its fault.
  private func fail(_ reference: BrokenReference) throws {
    let keys = try orphans.keys(of: reference, limit: Self.comparedRows)
    var earlier = (count: 0, keys: Set<String>())
    if issues.isOneTransaction {
      try connection.execute("ROLLBACK")
      earlier.count =
        try orphans.brokenReferences(of: reference.table).first { $0.id == reference.id }?.count ?? 0
      if earlier.count > 0 { earlier.keys = Set(try orphans.keys(of: reference, limit: Self.comparedRows)) }
    }
    let new = keys.filter { !earlier.keys.contains($0) }
    let message = Self.describe(reference.count, reference, new.isEmpty ? keys : new)
    let before = Self.describe(earlier: earlier.count, of: reference.count)
    throw ImportFailure(
      .references,
      "table \"\(reference.table)\", column \"\(reference.columnList)\": \(message)\(before): import what is "
        + "referenced too, or let such references become null, or keep them")
  }

  /// Rows that a message names.
  private static let namedRows = 3
  /// Rows that are looked at for those that an import made.
  private static let comparedRows = 10_000

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
    let settings = reference.columns.map { "\(quoted($0.child)) = NULL" }.joined(separator: ", ")
    do throws(DatabaseError) {
      try connection.execute(
        "UPDATE OR ABORT \(quoted(reference.table)) AS child SET \(settings) WHERE \(reference.condition)")
    } catch {
      guard error.primaryCode == ResultCode.constraint else { throw error }
      throw ImportFailure(
        .references,
        "table \"\(reference.table)\": a reference to nowhere cannot become NULL: \(error.message)")
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
