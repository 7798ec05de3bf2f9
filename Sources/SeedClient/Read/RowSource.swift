import SeedDatabase
import SeedFormat

protocol ColumnSource: AnyObject {
  func value(_ column: Int32) -> BorrowedValue
  /// The error for a value that is not of the `wanted` type.
  func misfit(_ column: Int32, _ member: String?, _ wanted: String) -> SeedError
}

final class RowSource: ColumnSource {
  let statement: Statement
  let type: String
  let columns: [String]
  // Only one function reads a row at a time; checking exclusivity at run time would cost as much as the lookup.
  @exclusivity(unchecked) private var row = 0

  init(_ statement: Statement, of type: String) {
    (self.statement, self.type) = (statement, type)
    columns = statement.columnNames
  }

  func beginRow() { row += 1 }

  func has(_ member: String) -> Bool { ColumnMatch(member, in: columns) != .none }

  /// A member's column. Throws if it is missing, even for an optional member.
  func column(of member: String) throws -> Int32 {
    guard case .one(let index) = ColumnMatch(member, in: columns) else { throw misnamed(member) }
    return Int32(index)
  }

  func value(_ column: Int32) -> BorrowedValue { statement.borrow(column) }

  func onlyColumn() throws(SeedError) -> ColumnContainer {
    guard columns.count == 1 else {
      throw SeedError(
        .decoding,
        "\(type) takes one column, but the query returns \(columns.joined(separator: ", ")): \(sql)")
    }
    return ColumnContainer(source: self, column: 0, member: nil)
  }

  // MARK: Errors

  func failed(_ error: any Error) -> SeedError {
    SeedError(.decoding, "row \(row) does not fit \(type) (\(error)): \(sql)")
  }

  private func misnamed(_ member: String) -> SeedError {
    let problem =
      switch ColumnMatch(member, in: columns) {
      case .same: "has more than one column with its name: rename all but one with AS"
      case .alike(let names):
        "could be \(names.map { "\"\($0)\"" }.joined(separator: " or ")): omit one, or rename the right one to "
          + "\"\(member)\" with AS"
      case .none, .one:
        "has no column\(nearestName(to: member, in: columns).map { " (did you mean \"\($0)\"?)" } ?? ""): select "
          + "\"\(member)\", or name the column in the type's CodingKeys"
      }
    return SeedError(
      .decoding,
      "\(type).\(member) \(problem) (the query returns \(columns.joined(separator: ", "))): \(sql)")
  }

  private var sql: String { statement.sql.shortSQL }

  func misfit(_ column: Int32, _ member: String?, _ wanted: String) -> SeedError {
    let found = value(column)
    let member = member.map { "\(type).\($0) is \(wanted)" } ?? "it must be \(wanted)"
    let remedy = found.isNull ? " (make it optional)" : ""
    return SeedError(
      .decoding,
      "column \"\(columns[Int(column)])\" of row \(row) is \(found.shown), but \(member)\(remedy): \(sql)"
    )
  }
}

extension BorrowedValue {
  private static let shownCharacters = 40

  var shown: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return "INTEGER \(value)"
    case .real(let value): return "REAL \(value)"
    case .text(let bytes):
      guard let text = String(utf8: bytes) else { return "TEXT that is not UTF-8" }
      let start = text.prefix(Self.shownCharacters)
      return "TEXT \"\(start)\(start.endIndex == text.endIndex ? "" : "…")\""
    case .blob(let bytes): return "a BLOB of \(bytes.count) bytes"
    }
  }
}

package enum ColumnMatch: Equatable {
  case none
  case one(Int)
  /// Several columns have exactly the member's name.
  case same
  /// Several columns match, but only in a different spelling.
  case alike([String])

  /// Prefers an exact match; otherwise ignores case and underscores: `route_name` matches `routeName`.
  package init(_ member: String, in columns: [String]) {
    let exact = columns.indices.filter { columns[$0] == member }
    let found =
      exact.isEmpty ? columns.indices.filter { Self.letters(columns[$0]) == Self.letters(member) } : exact
    switch (found.count, exact.isEmpty) {
    case (0, _): self = .none
    case (1, _): self = .one(found[0])
    case (_, true): self = .alike(found.map { columns[$0] })
    case (_, false): self = .same
    }
  }

  private static func letters(_ name: String) -> String { name.lowercased().replacing("_", with: "") }
}
