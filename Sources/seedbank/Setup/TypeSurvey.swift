import SeedDatabase
import SeedFormat

/// Finds the columns of an origin's table that are declared as numbers and have other values in some rows. SQLite takes them, but
/// a publisher rejects them: clients read what is declared.
struct TypeSurvey {
  let connection: Connection
  let table: String

  func mixedColumns() throws -> [String] {
    let doubts = try numbers()
    guard !doubts.isEmpty else { return [] }
    let tests = doubts.map { "max(typeof(\(quoted($0.name))) NOT IN (\($0.types)))" }
    let row = try connection.rows("SELECT \(tests.joined(separator: ", ")) FROM \(quoted(table))")[0]
    return zip(doubts, row).filter { $0.1 == .integer(1) }.map(\.0.name)
  }

  private func numbers() throws -> [(name: String, types: String)] {
    let columns = try connection.rows(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", .text(table))
    return columns.compactMap { column in
      switch Affinity(declaredType: column[1].text, isStrict: false) {
      case .integer: (column[0].text, "'null', 'integer'")
      case .real: (column[0].text, "'null', 'integer', 'real'")
      case .text, .blob, .numeric: nil
      }
    }
  }
}
