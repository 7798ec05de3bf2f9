import SeedDatabase
import SeedFormat

/// A statement's current row, for whoever decodes it. In which order members ask for their columns is learnt from the
/// row before: so a name is looked up once for all rows.
final class RowSource {
  let statement: Statement
  /// The type that rows become.
  let type: String
  let columns: [String]
  // One function at a time reads a row; checking that at run time would cost as much as the look-up.
  @exclusivity(unchecked) private var asked: [(member: String, column: Int32)] = []
  @exclusivity(unchecked) private var turn = 0
  private var row = 0

  init(_ statement: Statement, of type: String) {
    (self.statement, self.type) = (statement, type)
    columns = statement.columnNames
  }

  func beginRow() { (turn, row) = (0, row + 1) }

  /// The column of a member; `nil` where there is none of its name.
  func column(of member: String) -> Int32? {
    if turn < asked.count, asked[turn].member == member {
      turn += 1
      return asked[turn - 1].column
    }
    guard let column = find(member) else { return nil }
    asked.removeSubrange(turn...)
    asked.append((member, column))
    turn += 1
    return column
  }

  /// As SQLite compares names, and `route_name` for `routeName`.
  private func find(_ member: String) -> Int32? {
    let index =
      columns.firstIndex(of: member)
      ?? columns.firstIndex { Self.letters($0) == Self.letters(member) }
    return index.map { Int32($0) }
  }

  private static func letters(_ name: String) -> String { name.lowercased().replacing("_", with: "") }

  func value(_ column: Int32) -> BorrowedValue { statement.borrow(column) }

  // Without the type of an app's keys, so that the compiler can make these for each kind of value.

  func value<Value: ColumnValue>(of member: String, as type: Value.Type) throws -> Value {
    let column = try requiredColumn(of: member)
    guard let value = Value(value(column)) else { throw misfit(column, member, Value.wanted) }
    return value
  }

  func valueIfPresent<Value: ColumnValue>(of member: String, as type: Value.Type) throws -> Value? {
    let column = try requiredColumn(of: member)
    let found = value(column)
    if found.isNull { return nil }
    guard let value = Value(found) else { throw misfit(column, member, "\(Value.wanted)?") }
    return value
  }

  /// A column that is not there is a mistake in the query, also for a member that may be NULL.
  func requiredColumn(of member: String) throws -> Int32 {
    guard let column = column(of: member) else { throw missing(member) }
    return column
  }

  /// The row's one column, for a type that columns have.
  func onlyValue<Value: Decodable>(as type: Value.Type) throws -> Value {
    guard columns.count == 1 else { throw manyColumns() }
    return try ColumnContainer(source: self, column: 0, member: nil).decode(type)
  }

  // MARK: Errors

  /// What a type's own code says of a row.
  func failed(_ error: any Error) -> SeedError {
    SeedError(.decoding, "row \(row) is no \(type) (\(error)): \(statement.sql)")
  }

  func missing(_ member: String) -> SeedError {
    let nearest = nearestName(to: member, in: columns).map { ", did you mean \"\($0)\"?" } ?? ""
    return SeedError(
      .decoding,
      "\(type).\(member) has no column\(nearest) (the query returns \(columns.joined(separator: ", "))): select it, or "
        + "name it in the type's CodingKeys: \(statement.sql)")
  }

  /// The column holds another kind of value than the member takes.
  func misfit(_ column: Int32, _ member: String?, _ wanted: String) -> SeedError {
    let member = member.map { "\(type).\($0) is \(wanted)" } ?? "it is to be \(wanted)"
    return SeedError(
      .decoding,
      "column \"\(columns[Int(column)])\" of row \(row) is \(Self.kind(value(column))), but \(member): \(statement.sql)"
    )
  }

  func manyColumns() -> SeedError {
    SeedError(
      .decoding,
      "\(type) takes one column, but the query returns \(columns.joined(separator: ", ")): \(statement.sql)")
  }

  private static let shownCharacters = 40

  private static func kind(_ value: BorrowedValue) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let value): return "INTEGER \(value)"
    case .real(let value): return "REAL \(value)"
    case .text(let bytes):
      guard String(utf8: bytes) != nil else { return "TEXT that is not UTF-8" }
      let text = String(decoding: bytes.prefix(4 * shownCharacters), as: UTF8.self)
      return "TEXT \"\(text.prefix(shownCharacters))\(text.count > shownCharacters ? "…" : "")\""
    case .blob(let bytes): return "a BLOB of \(bytes.count) bytes"
    }
  }
}
