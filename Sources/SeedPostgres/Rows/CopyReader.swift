/// The rows that one COPY sends, one at a time in memory.
final class CopyReader {
  private let connection: PostgresConnection
  private let sql: String
  private let count: Int
  private(set) var row = BinaryRow()
  private var hasBegun = false

  /// Nothing is asked for before the first row is.
  init(_ connection: PostgresConnection, _ sql: String, columns count: Int) {
    (self.connection, self.sql, self.count) = (connection, sql, count)
  }

  /// Moves to the next row; false behind the last.
  func next() throws -> Bool {
    if !hasBegun { try connection.startCopy(sql) }
    guard var message = try connection.nextCopied() else { return false }
    if !hasBegun { message = try BinaryRow.behindHead(message) }
    hasBegun = true
    if try row.read(message, count: count) { return true }
    // Behind the mark, the server says whether it sent all.
    return try connection.nextCopied() != nil
  }
}
