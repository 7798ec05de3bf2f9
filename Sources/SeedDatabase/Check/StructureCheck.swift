import SeedFormat

/// What SQLite's own checks say of a file, except for NULLs that are none.
///
/// Where a WITHOUT ROWID table's last column belongs to its key, SQLite 3.40 takes every NOT NULL column that it
/// stores behind that one for NULL, in each row. So nothing is believed of a NULL: the column is asked.
package struct StructureCheck {
  /// How much is checked.
  package enum Scope {
    /// All but what compares indexes with their tables.
    case quick
    /// All.
    case whole
    /// All of one table.
    case table(String)

    /// As many lines as there are: those that are wrong must not crowd others out.
    private static let mostLines = Int32.max
    /// SQLite's own limit, which the check of one table cannot change.
    fileprivate static let mostLinesOfTable = 100

    /// The check's name, for messages.
    package var name: String {
      switch self {
      case .quick: "quick_check"
      case .whole: "integrity_check"
      case .table(let name): "integrity_check(\(quoted(name)))"
      }
    }

    fileprivate var sql: String {
      switch self {
      case .quick, .whole: "PRAGMA \(name)(\(Self.mostLines))"
      case .table: "PRAGMA \(name)"
      }
    }
  }

  private let connection: Connection

  /// Complaints that are listed at most, of a file that is broken all over.
  private static let mostComplaints = 100

  package init(_ connection: Connection) { self.connection = connection }

  /// What is wrong, line by line; nothing where the file is in order. Throws where the disk does not give all of it back.
  package func complaints(_ scope: Scope) throws -> [String] {
    let statement = try connection.prepare(scope.sql)
    var (complaints, falseNulls): ([String], Int) = ([], 0)
    var nulls = NullComplaints(connection)
    while complaints.count < Self.mostComplaints, try statement.step() {
      let words = try statement.value(0).text
      if try nulls.isFalse(words) { falseNulls += 1 } else { complaints.append(words) }
    }
    if case .table = scope, complaints.count + falseNulls >= Scope.mostLinesOfTable, falseNulls > 0 {
      return try self.complaints(.whole)
    }
    guard complaints != ["ok"] else { return [] }
    guard !connection.owner.hasDiskFailed else { throw DatabaseError.unread(scope.sql) }
    return complaints.flatMap { $0.split(separator: "\n").map(String.init) }
  }
}

/// Tells whether SQLite is wrong about a NULL; it asks each column once.
private struct NullComplaints {
  private let connection: Connection
  private var known: [String: Bool] = [:]

  private static let start = "NULL value in "

  init(_ connection: Connection) { self.connection = connection }

  mutating func isFalse(_ words: String) throws -> Bool {
    guard words.hasPrefix(Self.start) else { return false }
    if let known = known[words] { return known }
    let suspects = try columns(meantBy: words)
    let isFalse = try !suspects.isEmpty && !suspects.contains { try hasNull($0[0].text, $0[1].text) }
    known[words] = isFalse
    return isFalse
  }

  /// Table and column; where their names have dots, that may be several.
  private func columns(meantBy words: String) throws -> [[SeedValue]] {
    try connection.rows(
      """
      SELECT list.name, info.name FROM pragma_table_list AS list, pragma_table_xinfo(list.name) AS info
      WHERE list.schema = 'main' AND list.wr AND info."notnull" AND ? || list.name || '.' || info.name = ?
      """, .text(Self.start), .text(words))
  }

  /// Not `IS NULL`: of a column that is NOT NULL, SQLite answers that without looking.
  private func hasNull(_ table: String, _ column: String) throws -> Bool {
    do {
      let isNull = "typeof(\(quoted(column))) = 'null'"
      return try connection.value("SELECT 1 FROM main.\(quoted(table)) WHERE \(isNull) LIMIT 1") != nil
    } catch let error as DatabaseError {
      // What cannot be read cannot clear the column.
      guard error.saysDamage else { throw error }
      return true
    }
  }
}
