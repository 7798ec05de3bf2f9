import SeedDatabase
import SeedFormat

/// Finds numeric columns that hold other values in some rows. SQLite accepts them, but a publisher rejects them because
/// clients read the declared types.
struct TypeSurvey {
  let connection: Connection
  let table: String

  func mixedColumns() throws -> [String] {
    let columns = try connection.rows(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", .text(table))
    let doubts = columns.compactMap { column in
      Affinity(declaredType: column[1].text, isStrict: false).misfits(in: column[0].text)
        .map { (name: column[0].text, test: "max(\($0))") }
    }
    guard !doubts.isEmpty else { return [] }
    let tests = doubts.map(\.test).joined(separator: ", ")
    let row = try connection.rows("SELECT \(tests) FROM \(quoted(table))")[0]
    return zip(doubts, row).filter { $0.1 == .integer(1) }.map(\.0.name)
  }
}
