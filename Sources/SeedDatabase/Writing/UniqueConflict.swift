package import SeedFormat

/// Explains SQLite's message about a unique value and finds the row that holds it. Reports only facts that are
/// certain: only the index's name if it contains an expression, and no values if one of them is unknown.
package final class UniqueConflict {
  private let connection: Connection
  private let table: TableSchema
  private var known: [String: Claim?] = [:]

  private enum Claim {
    case columns([String], holder: HolderSearch?)
    case entry(index: String)
  }

  /// Maximum number of bytes of a string in messages.
  private static let shownBytes = 60

  package init(_ connection: Connection, _ table: TableSchema) {
    (self.connection, self.table) = (connection, table)
  }

  /// Explains SQLite's `message` about a row. `values` contains the row's values by column; unknown values are nil.
  /// Returns nil if the message is not about this table's unique values.
  package func conflict(of message: String, _ values: [SeedValue?]) throws -> String? {
    switch try claim(message) {
    case nil: return nil
    case .entry(let index):
      return "another row has the same entry in the unique index \"\(index)\""
    case .columns(let names, let search):
      let wanted = names.map { name in table.columns.firstIndex { $0.name == name }.flatMap { values[$0] } }
      let all = wanted.compactMap(\.self)
      guard all.count == names.count else { return sentence(names, nil, holder: nil) }
      let key = table.key.compactMap { values[$0] }
      // A failed search for the holder must not hide the conflict.
      let holder = key.count == table.key.count ? try? search?.holder(of: all, besides: key) : nil
      return sentence(names, all, holder: holder)
    }
  }

  private func sentence(_ names: [String], _ values: [SeedValue]?, holder: [SeedValue]?) -> String {
    let columns = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let shown = values.map { " " + $0.map(Self.shown).joined(separator: ", ") } ?? ""
    let row =
      holder.map { "the row \(rowDescription(table.keyNames, $0.map(Self.clipped)))" } ?? "another row"
    return names.count == 1
      ? "the value\(shown) of \(columns) must be unique, but \(row) has it"
      : "the values\(shown) of \(columns) must be unique together, but \(row) has them"
  }

  private static func shown(_ value: SeedValue) -> String {
    if case .text = value { "\"\(clipped(value))\"" } else { "\(value)" }
  }

  private static func clipped(_ value: SeedValue) -> SeedValue {
    guard case .text(let text) = value, text.utf8.count > shownBytes else { return value }
    return .text(String(decoding: text.utf8.prefix(shownBytes), as: UTF8.self) + "…")
  }

  // MARK: The subject of a message

  private func claim(_ message: String) throws -> Claim? {
    if let claim = known[message] { return claim }
    let claim = try findClaim(message)
    known[message] = .some(claim)
    return claim
  }

  private func findClaim(_ message: String) throws -> Claim? {
    let reader = SchemaReader(connection)
    let indexes = try reader.indexes(of: table.name).filter(\.isUnique)
    if let index = indexes.first(where: { message == "UNIQUE constraint failed: index '\($0.name)'" }) {
      return .entry(index: index.name)
    }
    let meant = indexes.filter { Self.message(about: $0.key.compactMap(\.column), table) == message }
    if let index = meant.first {
      // With several indexes over the same columns, the message does not show which one failed.
      let search = meant.count == 1 ? try HolderSearch(index, table, connection) : nil
      return .columns(index.key.compactMap(\.column), holder: search)
    }
    guard let alias = try reader.rowidAlias(of: table.name), Self.message(about: [alias], table) == message
    else { return nil }
    return .columns([alias], holder: try HolderSearch(["\(quoted(alias)) = ?"], table, connection))
  }

  private static func message(about columns: [String], _ table: TableSchema) -> String {
    "UNIQUE constraint failed: " + columns.map { "\(table.name).\($0)" }.joined(separator: ", ")
  }
}

/// Finds the row behind an entry of a unique index.
private struct HolderSearch {
  private let statement: Statement

  /// Returns nil if the index has expressions.
  init?(_ index: IndexSchema, _ table: TableSchema, _ connection: Connection) throws {
    let matches = index.key.compactMap { part in
      part.column.flatMap { name in part.collation.map { "\(quoted(name)) COLLATE \($0.rawValue) = ?" } }
    }
    guard matches.count == index.key.count else { return nil }
    // The closing parenthesis is on a new line, because the condition may end with a comment.
    let condition = try SchemaReader(connection).condition(of: index.name).map { ["(\($0)\n)"] } ?? []
    guard index.isPartial != condition.isEmpty else { return nil }
    try self.init(matches + condition, table, connection)
  }

  init(_ matches: [String], _ table: TableSchema, _ connection: Connection) throws {
    let key = table.keyNames.map(quoted)
    let isOther = "NOT (\(key.map { "\($0) IS ?" }.joined(separator: " AND ")))"
    statement = try connection.prepare(
      "SELECT \(key.joined(separator: ", ")) FROM main.\(quoted(table.name)) "
        + "WHERE \((matches + [isOther]).joined(separator: " AND "))")
  }

  /// The key of the row with these values, unless it is `own`.
  func holder(of values: [SeedValue], besides own: [SeedValue]) throws -> [SeedValue]? {
    defer { statement.reset() }
    try statement.bind(values + own)
    return try statement.step() ? try statement.row() : nil
  }
}
