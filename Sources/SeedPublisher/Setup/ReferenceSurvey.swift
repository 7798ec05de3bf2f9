import SeedDatabase
import SeedFormat

struct OriginReference: Sendable {
  fileprivate let id: SeedValue
  let parent: String
  fileprivate let columns: [String]
  fileprivate let parentColumns: [String]
  fileprivate(set) var problem: ReferenceProblem?
}

enum ReferenceProblem: Sendable {
  case orphans, noKey, unpublished, collation

  var reason: String {
    switch self {
    case .orphans: "rows of the origin violate it"
    case .noKey: "the referenced columns are not a key of that table"
    case .unpublished: "that table is not published"
    case .collation: "it compares by a collation that clients lack"
    }
  }

  var remedy: String {
    switch self {
    case .orphans:
      "clients get the rows all the same; 'PRAGMA foreign_key_check' lists them, and once they are repaired it can be in"
        + " schema.sql"
    case .noKey:
      "clients get the rows all the same; with a UNIQUE index over those columns, in the origin and in schema.sql, it can"
        + " be there"
    case .unpublished:
      "clients get the rows all the same; publish that table too, and it can be in schema.sql"
    case .collation: "clients get the rows all the same"
    }
  }
}

struct ReferenceSurvey {
  let connection: Connection
  let table: String

  func references() throws -> [OriginReference] {
    var all = try declared()
    guard !all.isEmpty else { return [] }
    let violated = violatedIDs()
    for (place, reference) in all.enumerated() {
      all[place].problem =
        try violated.map { $0.contains(reference.id) ? .orphans : nil } ?? problem(reference)
    }
    return all
  }

  private func declared() throws -> [OriginReference] {
    // SQLite numbers references from the last one in the SQL to the first.
    let rows = try connection.rows(
      #"SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq"#, .text(table)
    )
    let starts = rows.indices.filter { $0 == 0 || rows[$0 - 1][0] != rows[$0][0] }
    return try starts.map { start in
      let parts = rows[start...].prefix { $0[0] == rows[start][0] }
      let parent = rows[start][1].text
      let named = parts.filter { $0[3] != .null }.map { $0[3].text }
      return OriginReference(
        id: rows[start][0], parent: parent, columns: parts.map { $0[2].text },
        parentColumns: named.isEmpty ? try primaryKey(of: parent) : named)
    }
  }

  /// `nil` if SQLite cannot check, because a parent's columns are not a key.
  private func violatedIDs() -> Set<SeedValue>? {
    let rows = try? connection.rows("SELECT DISTINCT fkid FROM pragma_foreign_key_check(?)", .text(table))
    return rows.map { Set($0.map { $0[0] }) }
  }

  /// Checks one reference, if SQLite cannot check the whole table.
  private func problem(_ reference: OriginReference) throws -> ReferenceProblem? {
    guard try isKey(reference.parentColumns, of: reference.parent),
      reference.columns.count == reference.parentColumns.count
    else { return .noKey }
    do {
      return try hasOrphans(reference) ? .orphans : nil
    } catch {
      guard case .collation = SkipCause(error) else { throw error }
      return .collation
    }
  }

  private func primaryKey(of table: String) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(table))
      .map { $0[0].text }
  }

  private func isKey(_ columns: [String], of table: String) throws -> Bool {
    func folded(_ names: [String]) -> [String] { names.map { $0.lowercased() }.sorted() }
    let indexes = try connection.rows(
      #"SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial"#, .text(table))
    let keys = try indexes.map { index in
      try connection.rows("SELECT name FROM pragma_index_info(?)", index[0]).map { $0[0].text }
    }
    let all = keys + [try primaryKey(of: table)]
    return !columns.isEmpty && all.contains { folded($0) == folded(columns) }
  }

  private func hasOrphans(_ reference: OriginReference) throws -> Bool {
    let condition = orphanCondition(reference.columns, reference.parent, reference.parentColumns)
    return try connection.value("SELECT 1 FROM \(quoted(table)) AS child WHERE \(condition) LIMIT 1") != nil
  }
}
