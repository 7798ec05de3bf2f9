extension PostgresConnection {
  /// Words that ask for the time or the session without a parenthesis, and what dates may be written as.
  private static let volatileWords: Set<String> = [
    "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user",
    "user",
    "session_user", "current_role", "current_catalog", "current_schema", "now", "today", "tomorrow",
    "yesterday",
    "tablesample",
  ]

  /// Whether SELECTs may yield other rows though nobody wrote: they, or views, ask for the time, for random numbers, or for what
  /// lies in another server. In doubt they do, which costs a comparison and never a row.
  func isVolatile(_ projections: [String]) throws(PostgresError) -> Bool {
    if try readsElsewhere() { return true }
    let all = projections + (try views())
    let words = all.map(Self.words(in:)).reduce(into: Set<String>()) { $0.formUnion($1) }
    if !words.isDisjoint(with: Self.volatileWords) || words.contains(where: { $0.hasPrefix("pg_") }) {
      return true
    }
    return try hasChangingFunction(all.reduce(into: []) { $0.formUnion(Self.calls(in: $1)) })
  }

  /// Tables of other servers change without a transaction of this one.
  private func readsElsewhere() throws(PostgresError) -> Bool {
    try rows("SELECT 1 FROM pg_class WHERE relkind = 'f' LIMIT 1").isEmpty == false
  }

  /// What views and the rules on rows are made of.
  private func views() throws(PostgresError) -> [String] {
    try rows(
      """
      SELECT pg_get_viewdef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
      WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
      UNION ALL SELECT pg_get_expr(polqual, polrelid) FROM pg_policy
      """
    ).compactMap(\.[0])
  }

  /// Only IMMUTABLE promises that equal rows give equal values.
  private func hasChangingFunction(_ names: Set<String>) throws(PostgresError) -> Bool {
    guard !names.isEmpty else { return false }
    let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ",")
    return try rows(
      "SELECT 1 FROM pg_proc WHERE proname = ANY ($1::name[]) AND provolatile <> 'i' LIMIT 1",
      ["{\(list)}"]
    ).isEmpty == false
  }

  /// In lower case.
  private static func words(in sql: String) -> Set<String> {
    let words = sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return Set(words.map(String.init))
  }

  /// Words before a parenthesis, in lower case: functions, and words that are none and so do no harm.
  private static func calls(in sql: String) -> Set<String> {
    Set(sql.lowercased().matches(of: /([\p{L}_][\p{L}\p{N}_]*)\x22?\s*\(/).map { String($0.1) })
  }
}
