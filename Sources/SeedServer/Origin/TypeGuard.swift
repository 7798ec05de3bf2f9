package import SeedDatabase
import SeedFormat

/// Refuses values that are not of their column's type: SQLite keeps a text in an INTEGER column, and the typed readers of an app
/// fail on it. INTEGER holds whole numbers and REAL holds numbers; every other column holds anything, as SQLite means it.
/// A column of which clients have such values already may get more of them.
package final class TypeGuard {
  private let plan: SeriesPlan
  /// The rows that clients have; `nil` if there are none.
  private let copy: Connection?
  private var known: [Place: Bool] = [:]

  /// Values of one storage class in one column.
  private struct Place: Hashable {
    let table: String
    let column: String
    let misfit: Misfit
  }

  init(_ plan: SeriesPlan, copy: Connection?) { (self.plan, self.copy) = (plan, copy) }

  /// With the working copy at a path; without one if it cannot be read.
  package convenience init(_ plan: SeriesPlan, copyPath: String) {
    self.init(plan, copy: try? Connection(copyPath, .reader))
  }

  /// Of a row as the client's columns store it.
  func check(
    _ row: [BorrowedValue], of table: TableSchema, key: @autoclosure () -> String
  ) throws(OriginError) {
    for index in row.indices {
      guard let misfit = Misfit(row[index], in: table.columns[index].affinity) else { continue }
      let column = table.columns[index]
      if isPublished(Place(table: table.name, column: column.name, misfit: misfit)) { continue }
      let remedy = plan.projection(table).typeRemedy
      throw .unfit(
        table: table.name, column: column.name, key: key(),
        reason: "\(misfit.words), but clients read it as \(column.declaredType): \(remedy)")
    }
  }

  /// The refused rows among others, counted by column.
  func violations(in rows: ProjectedRows, of table: TableSchema) throws -> [OriginError.Violation] {
    var found: [OriginError.Violation] = []
    while try rows.next() {
      do throws(OriginError) {
        try check(rows.row, of: table, key: rows.keyDescription)
      } catch { found.note(table, error.rowRule ?? "", rows.keyDescription) }
    }
    return found
  }

  /// An older minor may lack the table or the column. The column is qualified: SQLite would take another name in quotation marks for
  /// a text.
  private func isPublished(_ place: Place) -> Bool {
    if let answer = known[place] { return answer }
    let table = quoted(place.table)
    let sql = "SELECT 1 FROM \(table) WHERE typeof(\(table).\(quoted(place.column))) = ? LIMIT 1"
    let answer = try? copy?.value(sql, .text(place.misfit.rawValue))
    known[place] = answer != nil
    return answer != nil
  }
}

/// The storage class of a value that is not of its column's type, as SQLite's typeof() has it.
private enum Misfit: String {
  case text, blob, real

  init?(_ value: BorrowedValue, in affinity: Affinity) {
    switch (affinity, value) {
    case (.integer, .text), (.real, .text): self = .text
    case (.integer, .blob), (.real, .blob): self = .blob
    // SQLite made an integer of each real that is one.
    case (.integer, .real): self = .real
    default: return nil
    }
  }

  var words: String {
    switch self {
    case .text: "a text"
    case .blob: "bytes"
    case .real: "a number that is no whole one"
    }
  }
}

extension Projection {
  /// What an operator can do about values of another type than their column's.
  package var typeRemedy: String {
    let place = sql == nil ? "with a SELECT in the new file \(file)" : "in \(file)"
    return
      "cast it \(place), or declare the column NUMERIC, which takes any value; once the model is published, in a new major "
      + "by 'seedbank model new'"
  }
}

extension TableSchema {
  /// Of SQLite's rows, those that may have a value of another type, in SQL; `nil` if any value will do. A list, because SQLite limits
  /// the depth of an OR.
  var doubtfulRows: String? {
    let doubts = columns.compactMap { $0.affinity.misfits(in: $0.name) }
    let hasKey = keyNames.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    return doubts.isEmpty ? nil : "1 IN (\(doubts.joined(separator: ", "))) AND \(hasKey)"
  }
}

extension Affinity {
  /// Whether a column holds a value of another type, in SQL; `nil` if any value will do.
  package func misfits(in column: String) -> String? {
    switch self {
    case .integer: "typeof(\(quoted(column))) NOT IN ('null', 'integer')"
    case .real: "typeof(\(quoted(column))) NOT IN ('null', 'integer', 'real')"
    case .text, .blob, .numeric: nil
    }
  }
}

/// Values of the origin that are not of a client column's type, or need not be.
package struct TypeDrift: Hashable, Sendable {
  /// Whether a step will refuse them.
  package let isCertain: Bool
  package let problem: String

  package init(isCertain: Bool, _ problem: String) { (self.isCertain, self.problem) = (isCertain, problem) }
}
