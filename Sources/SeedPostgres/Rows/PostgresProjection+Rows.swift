import SeedDatabase
import SeedFormat
import SeedPublisher

extension PostgresProjection {
  /// The table's rows, on request in the key's order. Reading starts with the first row.
  func rows(_ connection: PostgresConnection, isOrdered: Bool) -> any RowSource {
    CopyRows(connection, self, isOrdered: isOrdered)
  }
}

private final class CopyRows: RowSource {
  private let connection: PostgresConnection
  private let projection: PostgresProjection
  private let reader: CopyReader

  init(_ connection: PostgresConnection, _ projection: PostgresProjection, isOrdered: Bool) {
    (self.connection, self.projection) = (connection, projection)
    reader = CopyReader(
      connection, projection.copy(isOrdered: isOrdered), columns: projection.columns.count)
  }

  func next() throws -> Bool {
    guard try !projection.blaming({ try reader.next() }) else { return true }
    try connection.proveNothingRewritten()
    return false
  }

  func lend(to values: inout [BorrowedValue]) throws {
    values.removeAll(keepingCapacity: true)
    var unfit: (index: Int, reason: String)?
    for (index, field) in reader.row.fields.enumerated() {
      do {
        values.append(try field.map { try projection.columns[index].form.value($0) } ?? .null)
      } catch let error as ValueForm.Unfit {
        unfit = unfit ?? (index, error.reason)
        values.append(projection.columns[index].form.told(field))
      }
    }
    if let unfit { throw projection.unfit(unfit.index, unfit.reason, in: values) }
  }
}

final class CopyReader {
  private let connection: PostgresConnection
  private let sql: String
  private let count: Int
  private(set) var row = BinaryRow()
  private var hasBegun = false

  /// Starts the COPY on the first call of `next`.
  init(_ connection: PostgresConnection, _ sql: String, columns count: Int) {
    (self.connection, self.sql, self.count) = (connection, sql, count)
  }

  func next() throws -> Bool {
    if !hasBegun { try connection.startCopy(sql) }
    guard var message = try connection.nextCopied() else { return false }
    if !hasBegun { message = try BinaryRow.behindHead(message) }
    hasBegun = true
    if try row.read(message, count: count) { return true }
    // After the trailer, the server reports whether it sent all rows.
    return try connection.nextCopied() != nil
  }
}

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
