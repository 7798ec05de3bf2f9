import SeedFormat

/// Runs SQLite's own checks of a file and removes their false complaints about NULL.
///
/// If the last column of a WITHOUT ROWID table belongs to its key, SQLite 3.40 falsely reports a NULL in every row for
/// each NOT NULL column stored after that column. A query therefore verifies each complaint about a NULL.
package struct StructureCheck {
  package enum Scope {
    /// Skips the comparison of indexes with their tables.
    case quick
    case whole
    case table(String)

    /// Unlimited, because false complaints could otherwise crowd out real ones.
    private static let mostLines = Int32.max
    /// Maximum number of errors that SQLite reports for one table; it cannot be changed.
    fileprivate static let mostLinesOfTable = 100

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

  private static let mostComplaints = 100

  package init(_ connection: Connection) { self.connection = connection }

  /// Returns SQLite's complaints as lines; a sound file has none. Throws if part of the file cannot be read.
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

/// Detects false complaints about NULL; queries each column once.
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

  /// The columns that a complaint may mean, each with its table; there may be several if names contain dots.
  private func columns(meantBy words: String) throws -> [[SeedValue]] {
    try connection.rows(
      """
      SELECT list.name, info.name FROM pragma_table_list AS list, pragma_table_xinfo(list.name) AS info
      WHERE list.schema = 'main' AND list.wr AND info."notnull" AND ? || list.name || '.' || info.name = ?
      """, .text(Self.start), .text(words))
  }

  /// Compares the type, because SQLite answers `IS NULL` for a NOT NULL column without reading it.
  private func hasNull(_ table: String, _ column: String) throws -> Bool {
    do {
      let isNull = "typeof(\(quoted(column))) = 'null'"
      return try connection.value("SELECT 1 FROM main.\(quoted(table)) WHERE \(isNull) LIMIT 1") != nil
    } catch let error as DatabaseError {
      // Keeps the complaint if the column cannot be read.
      guard error.saysDamage else { throw error }
      return true
    }
  }
}
