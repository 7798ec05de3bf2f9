import SeedDatabase
import SeedFormat

/// A foreign key of a table, in the order of the table's text.
struct OriginReference: Hashable, Sendable {
  let parent: String
  /// Why it does not hold in the origin.
  let problem: String?
}

/// Finds which foreign keys of a table hold in the origin.
struct ReferenceSurvey {
  private let connection: Connection
  private let table: String

  private struct Reference {
    let id: SeedValue
    let parent: String
    let columns: [String]
    let parentColumns: [String]
  }

  init(_ connection: Connection, _ table: String) {
    self.connection = connection
    self.table = table
  }

  /// All of them, checked.
  func references() throws -> [OriginReference] {
    let all = try declared()
    guard !all.isEmpty else { return [] }
    let violated = violatedIDs()
    return try all.map { reference in
      let problem =
        try violated.map { $0.contains(reference.id) ? Self.violation : nil } ?? problem(reference)
      return OriginReference(parent: reference.parent, problem: problem)
    }
  }

  private static let violation = "rows of the origin violate it"

  private func declared() throws -> [Reference] {
    // SQLite counts references from the last one in the text to the first.
    let rows = try connection.rows(
      #"SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq"#, .text(table)
    )
    let starts = rows.indices.filter { $0 == 0 || rows[$0 - 1][0] != rows[$0][0] }
    return try starts.map { start in
      let parts = rows[start...].prefix { $0[0] == rows[start][0] }
      let parent = rows[start][1].text
      let named = parts.filter { $0[3] != .null }.map { $0[3].text }
      return Reference(
        id: rows[start][0], parent: parent, columns: parts.map { $0[2].text },
        parentColumns: named.isEmpty ? try primaryKey(of: parent) : named)
    }
  }

  /// `nil` where SQLite does not even look, because some parent's columns are no key.
  private func violatedIDs() -> Set<SeedValue>? {
    let rows = try? connection.rows("SELECT DISTINCT fkid FROM pragma_foreign_key_check(?)", .text(table))
    return rows.map { Set($0.map { $0[0] }) }
  }

  /// One reference by itself, for a table that SQLite gives up on as a whole.
  private func problem(_ reference: Reference) throws -> String? {
    guard try isKey(reference.parentColumns, of: reference.parent),
      reference.columns.count == reference.parentColumns.count
    else { return "its columns are no key of that table" }
    return try hasOrphans(reference) ? Self.violation : nil
  }

  private func primaryKey(of table: String) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(table))
      .map { $0[0].text }
  }

  private func isKey(_ columns: [String], of table: String) throws -> Bool {
    let wanted = columns.map { $0.lowercased() }.sorted()
    let indexes = try connection.rows(
      #"SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial"#, .text(table))
    let keys = try indexes.map { index in
      try connection.rows("SELECT name FROM pragma_index_info(?)", index[0]).map { $0[0].text }
    }
    let all = keys + [try primaryKey(of: table)]
    return !wanted.isEmpty && all.contains { $0.map { $0.lowercased() }.sorted() == wanted }
  }

  private func hasOrphans(_ reference: Reference) throws -> Bool {
    let condition = orphanCondition(reference.columns, reference.parent, reference.parentColumns)
    return try connection.value("SELECT 1 FROM \(quoted(table)) AS child WHERE \(condition) LIMIT 1") != nil
  }
}
