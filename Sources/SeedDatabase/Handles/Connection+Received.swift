import CSQLite

// An attacker may have made a file from elsewhere, and SQLite itself computes the expressions of its schema. The authorizer
// sees none of them, because they were parsed with the schema.
extension Connection {
  var isReceived: Bool { owner.isReceived }

  /// No seed comes near these limits; without them, a few bytes of a schema take much memory or stack.
  private static let receivedLimits: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_SQL_LENGTH, 1_000_000), (SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (SQLITE_LIMIT_VDBE_OP, 4_000_000), (SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
  ]
  private static let deepestExpression: Int32 = 500

  /// In bytes: one statement of a schema.
  private static let longestDefinition: Int32 = 256 * 1024
  private static let secondsToLoad = 10

  /// Also limits a model's schema, which is parsed in memory before it is published.
  func limitDepth() { sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, Self.deepestExpression) }

  /// Loads the schema. SQLite then reads `sqlite_stat1`, whose columns may be computed.
  func loadReceivedSchema() throws(DatabaseError) {
    limitDepth()
    for (limit, value) in Self.receivedLimits { sqlite3_limit(handle, limit, value) }
    endWithTask()
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestDefinition)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
    // A store reads its files also after its task was cancelled.
    try computing(atMost: Self.secondsToLoad, endingWithTask: false) { () throws(DatabaseError) in
      // The digest proves the rows, so CHECKs add nothing.
      try execute("SELECT 1 FROM sqlite_schema LIMIT 1; PRAGMA ignore_check_constraints = ON")
    }
  }
}
