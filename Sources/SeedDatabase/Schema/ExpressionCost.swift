import CSQLite

extension Connection {
  /// Runs `body`, in which SQLite may compute expressions of the schema. Bounds their time in a received file, and the
  /// length of values if `areComputed`.
  func boundingExpressions<Result>(areComputed: Bool = true, _ body: () throws -> Result) throws -> Result {
    guard isReceived else { return try body() }
    let cost = try ExpressionCost(self)
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, areComputed ? cost.longestValue : -1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
    do {
      return try computing(atMost: cost.seconds(forBytes: bytes), looking: cost.stepsBetweenLooks, body)
    } catch let error as DatabaseError
      where [SQLITE_INTERRUPT, SQLITE_TOOBIG].contains(error.primaryCode) && !Task.isCancelled
    { throw NotASeed("its schema computes values that take more time or room than its rows can need") }
  }
}

/// The limits on the generated columns and indexes of a file. SQLite checks the time only between two functions.
private struct ExpressionCost {
  /// Functions whose time is not linear in the length of their arguments, or whose result is much longer than they are.
  private static let slow = Set(
    """
    FORMAT GLOB INSTR JSON JSON_ARRAY JSON_INSERT JSON_OBJECT JSON_PATCH JSON_QUOTE JSON_REMOVE JSON_REPLACE JSON_SET LIKE LTRIM \
    PRINTF QUOTE RANDOMBLOB REPLACE RTRIM TRIM ZEROBLOB
    """.split(separator: " ").map(String.init))

  let isSlow: Bool

  init(_ connection: Connection) throws {
    isSlow = try connection.rows("SELECT type, sql FROM sqlite_schema WHERE type IN ('table', 'index')")
      .contains {
        let tokens = SQLTokens($0[1].text)
        let computed =
          $0[0].text == "index"
          ? [tokens] : tokens.expressions.filter { $0.hasPrefix("AS") }.map(SQLTokens.init)
        return computed.contains { !$0.names.isDisjoint(with: Self.slow) }
      }
  }

  /// In bytes. One `instr` over two values of 1 MiB takes ten seconds.
  var longestValue: Int32 { isSlow ? 1024 * 1024 : 64 * 1024 * 1024 }

  var stepsBetweenLooks: Int32 { isSlow ? 2 : 1000 }

  /// A slow phone checks several megabytes per second.
  func seconds(forBytes bytes: Int64) -> Int { 10 + Int(bytes / 1_000_000) }
}
