import SeedDatabase
import SeedFormat

extension PostgresProjection {
  private static let mostSortedRows: Int64 = 100_000
  /// OIDs of text and varchar.
  private static let texts: Set<UInt32> = [25, 1043]

  /// Suggests an index that spares a sort of a large table with texts in its key for each comparison; nil if an index
  /// has that order, and for a SELECT.
  func missingKeyIndex(_ connection: PostgresConnection) throws -> String? {
    let key = keyParts
    guard isWholeTable, key.contains(where: { Self.texts.contains($0.type) }),
      key.allSatisfy({ !$0.isText || Self.texts.contains($0.type) && $0.collation == .binary })
    else { return nil }
    let plan = try plan(connection)
    guard let rows = plan["Plan Rows"]?.integer, rows >= Self.mostSortedRows, Self.sorts(plan) else {
      return nil
    }
    let columns = key.map { quoted($0.name) + ($0.isText ? " COLLATE \"C\"" : "") }.joined(separator: ", ")
    return
      "the server sorts about \(rows) rows of \(source) for each comparison: let the table's owner run CREATE INDEX ON "
      + "\(source) (\(columns))"
  }

  /// The server's plan, with sorting as a last resort.
  private func plan(_ connection: PostgresConnection) throws -> JSONValue {
    try connection.rows("SET LOCAL enable_sort TO off")
    defer { _ = try? connection.rows("SET LOCAL enable_sort TO on") }
    let lines = try connection.rows("EXPLAIN (FORMAT JSON) \(orderedKeys)").map { $0[0] ?? "" }
    let plans = try JSONValue(parsing: Array(lines.joined(separator: "\n").utf8))
    return plans.elements?.first?["Plan"] ?? [:]
  }

  private static func sorts(_ plan: JSONValue) -> Bool {
    plan["Node Type"]?.string?.hasSuffix("Sort") == true
      || (plan["Plans"]?.elements ?? []).contains(where: sorts)
  }
}
