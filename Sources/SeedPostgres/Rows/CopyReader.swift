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
