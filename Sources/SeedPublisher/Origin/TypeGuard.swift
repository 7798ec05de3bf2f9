package import SeedDatabase
import SeedFormat

/// Rejects values that SQLite stores but that an app cannot read as the column's type. INTEGER columns accept whole
/// numbers, REAL columns accept numbers, and other columns accept any value. A column whose published rows already
/// contain misfits may get more of them.
package final class TypeGuard {
  private let plan: SeriesPlan
  private let copy: Connection?
  /// Earlier answers, by table, column and storage class.
  private var known: [[String]: Bool] = [:]

  init(_ plan: SeriesPlan, copy: Connection?) { (self.plan, self.copy) = (plan, copy) }

  /// Reads the working copy at the path, if possible.
  package convenience init(_ plan: SeriesPlan, copyPath: String) {
    self.init(plan, copy: try? Connection(copyPath, .reader))
  }

  /// `row` must be in the client's form.
  func check(
    _ row: [BorrowedValue], of table: TableSchema, key: @autoclosure () -> String
  ) throws(OriginError) {
    for index in row.indices {
      guard let misfit = Misfit(row[index], in: table.columns[index].affinity) else { continue }
      let column = table.columns[index]
      if isPublished(misfit, column.name, of: table.name) { continue }
      let remedy = plan.projection(table).typeRemedy
      throw .unfit(
        table: table.name, column: column.name, key: key(),
        reason: "\(misfit.words), but clients read it as \(column.declaredType): \(remedy)")
    }
  }

  /// Finds all rejected rows, including those with NULL in a NOT NULL column, and counts them by column.
  func violations(in rows: ProjectedRows, of table: TableSchema) throws -> [OriginError.Violation] {
    var found: [OriginError.Violation] = []
    let remedy = plan.projection(table).nullRemedy
    while try rows.next() {
      for (column, value) in zip(table.columns, rows.row) where column.isNotNull && value.isNull {
        let rule = "the column \"\(column.name)\" holds NULL, but the model declares it NOT NULL: \(remedy)"
        found.note(table, rule, rows.keyDescription)
      }
      do throws(OriginError) {
        try check(rows.row, of: table, key: rows.keyDescription)
      } catch { found.note(table, error.rowRule ?? "", rows.keyDescription) }
    }
    return found
  }

  /// Returns false if an older minor lacks the table or column. The SQL qualifies the column with its table, because
  /// SQLite treats an unknown name in double quotes as a string.
  private func isPublished(_ misfit: Misfit, _ column: String, of table: String) -> Bool {
    let place = [table, column, misfit.rawValue]
    if let answer = known[place] { return answer }
    let sql = "SELECT 1 FROM \(quoted(table)) WHERE typeof(\(quoted(table)).\(quoted(column))) = ? LIMIT 1"
    let answer = try? copy?.value(sql, .text(misfit.rawValue))
    known[place] = answer != nil
    return answer != nil
  }
}

/// The storage class of a value that does not fit its column, named as by SQLite's typeof().
private enum Misfit: String {
  case text, blob, real

  init?(_ value: BorrowedValue, in affinity: Affinity) {
    switch (affinity, value) {
    case (.integer, .text), (.real, .text): self = .text
    case (.integer, .blob), (.real, .blob): self = .blob
    // SQLite has already converted integral reals to integers.
    case (.integer, .real): self = .real
    default: return nil
    }
  }

  var words: String {
    switch self {
    case .text: "a string"
    case .blob: "bytes"
    case .real: "a number that is not whole"
    }
  }
}

extension Projection {
  private var change: String { sql == nil ? "with a SELECT in the new file \(file)" : "in \(file)" }

  /// Advice to the operator on values of a different type.
  package var typeRemedy: String {
    "cast it \(change), or declare the column NUMERIC, which takes any value; once the model is published, this needs "
      + "a new major ('seedbank model new MAJOR.0')"
  }

  fileprivate var nullRemedy: String {
    "give these rows a value, or replace NULL \(change), for example with coalesce()"
  }
}

extension TableSchema {
  /// A condition for rows that the columns may reject; `nil` if any value fits. Uses IN, because SQLite limits how
  /// deeply OR may nest. If a column is NOT NULL in the origin too, SQLite evaluates IS NULL without reading rows.
  var doubtfulRows: String? {
    let doubts =
      columns.compactMap { $0.affinity.misfits(in: $0.name) }
      + columns.filter(\.isNotNull).map { "\(quoted($0.name)) IS NULL" }
    let hasKey = keyNames.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    return doubts.isEmpty ? nil : "1 IN (\(doubts.joined(separator: ", "))) AND \(hasKey)"
  }
}

extension Affinity {
  /// Returns a condition for values of a different type; `nil` if any value fits.
  package func misfits(in column: String) -> String? {
    switch self {
    case .integer: "typeof(\(quoted(column))) NOT IN ('null', 'integer')"
    case .real: "typeof(\(quoted(column))) NOT IN ('null', 'integer', 'real')"
    case .text, .blob, .numeric: nil
    }
  }
}
