import SeedDatabase
import SeedFormat

struct ReadRelation: Hashable {
  let oid: UInt32
  let schema: String
  let name: String
  /// `r`, `p`, `v`, `m` or `f`, as in pg_class.
  let kind: String

  var isView: Bool { kind == "v" }
  var sql: String { "\(quoted(schema)).\(quoted(name))" }
}

/// Finds the relations that SELECTs read, including views and their tables, through the server's locks. Before
/// it plans a query, the server locks all relations of the query, even those that the plan does not use.
final class ReadingCatalog {
  private let connection: PostgresConnection
  private var known: [String: [ReadRelation]] = [:]
  private var plainTables: [String: ReadRelation]?

  init(_ connection: PostgresConnection) { self.connection = connection }

  func relations(readBy projection: PostgresProjection) throws(PostgresError) -> [ReadRelation] {
    if let table = try plainTable(projection.source) { return [table] }
    if let relations = known[projection.source] { return relations }
    // Selects no columns, because the user may lack the right to read some.
    let relations = try locked(by: "SELECT FROM \(projection.source) AS seedbank_rows")
    known[projection.source] = relations
    return relations
  }

  /// Returns the table with this quoted name in the place's schema, if it has no partitions, inheritance or policies.
  func plainTable(_ sql: String) throws(PostgresError) -> ReadRelation? {
    if let plainTables { return plainTables[sql] }
    let tables = try connection.relations(
      "n.nspname = $1 AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity",
      connection.place.schema)
    plainTables = Dictionary(tables.map { ($0.sql, $0) }) { first, _ in first }
    return plainTables?[sql]
  }

  /// Returns the relations that this user may lock. Locking a view also locks its tables, with the rights of the
  /// view's owner. LOCK does not accept materialized views or foreign tables.
  func lockable(_ relations: Set<ReadRelation>) throws(PostgresError) -> [ReadRelation] {
    try connection.relations(
      "c.oid = ANY ($1::oid[]) AND c.relkind IN ('r', 'p', 'v') AND has_table_privilege(c.oid, 'SELECT')",
      list(relations))
  }

  /// Includes tables that the transaction locked at its start, which may cost a comparison but never misses a change.
  private func locked(by select: String) throws(PostgresError) -> [ReadRelation] {
    try connection.releaseLocks()
    try connection.rows("EXPLAIN \(select)")
    let relations = try connection.relations(
      """
      c.oid IN (SELECT relation FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' \
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) \
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname NOT IN ('pg_catalog', 'pg_toast')
      """)
    try connection.releaseLocks()
    return relations
  }
}

extension JSONValue {
  /// Returns the elements of a JSON array in a result; an empty array for NULL.
  static func elements(of text: String?) -> [JSONValue] {
    text.flatMap { try? JSONValue(parsing: Array($0.utf8)) }?.elements ?? []
  }
}

private func list(_ relations: Set<ReadRelation>) -> String {
  "{\(relations.map { "\($0.oid)" }.sorted().joined(separator: ","))}"
}

extension PostgresConnection {
  /// Returns the relations that meet a condition on `c` in pg_class and its schema `n` in pg_namespace.
  func relations(_ condition: String, _ values: String...) throws(PostgresError) -> [ReadRelation] {
    try rows(
      "SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        + "WHERE \(condition) ORDER BY 1", values
    ).map { row in
      ReadRelation(
        oid: row[0].flatMap { UInt32($0) } ?? 0, schema: row[1] ?? "", name: row[2] ?? "", kind: row[3] ?? "")
    }
  }

  /// Words without parentheses that depend on the time or the session, and special date values.
  private static let volatileWords: Set<String> = [
    "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user",
    "user", "session_user", "current_role", "current_catalog", "current_schema", "now", "today", "tomorrow",
    "yesterday", "tablesample",
  ]

  /// Built-in functions that are STABLE only because they depend on settings, which do not vary, or on
  /// definitions, whose changes are detected. They depend neither on time nor on rows.
  private static let steadyFunctions: Set<String> = [
    "array_to_json", "array_to_string", "concat", "concat_ws", "date", "date_part", "date_trunc", "extract",
    "format", "generate_series", "interval", "json_agg", "json_build_array", "json_build_object",
    "json_object_agg", "jsonb_agg", "jsonb_build_array", "jsonb_build_object", "jsonb_object_agg",
    "make_timestamptz", "overlaps", "quote_literal", "quote_nullable", "row_to_json", "time", "timestamp",
    "timestamptz", "timetz", "timezone", "to_char", "to_date", "to_json", "to_jsonb", "to_number",
    "to_timestamp",
  ]

  /// Returns why a SELECT or a table may yield other rows without a write: its definition, or a view or policy that
  /// it uses, depends on the time, on random numbers or on another server. Also returns a reason if in doubt, because
  /// that costs only a comparison and never loses a row.
  func volatility(of select: String?, reading relations: Set<ReadRelation>) throws(PostgresError) -> String? {
    // Foreign tables change without a local transaction, and information_schema shows the server's current state.
    if let away = relations.first(where: { $0.kind == "f" }) {
      return "\"\(away.name)\" is on another server"
    }
    if relations.contains(where: { $0.schema == "information_schema" }) {
      return "it reads the server's catalog"
    }
    let all = [select].compactMap(\.self) + (try definitions(relations))
    let words = all.map(Self.words(in:)).reduce(into: Set<String>()) { $0.formUnion($1) }
    if let word = words.sorted().first(where: { Self.volatileWords.contains($0) || $0.hasPrefix("pg_") }) {
      return "\"\(word)\" is in its SELECT, or in a view or policy behind it"
    }
    return try changingFunction(Set(all.flatMap(Self.calls)), orPart: Set(all.flatMap(Self.parts))).map {
      "\($0)() is not IMMUTABLE"
    }
  }

  private func definitions(_ relations: Set<ReadRelation>) throws(PostgresError) -> [String] {
    guard !relations.isEmpty else { return [] }
    return try rows(
      """
      SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND oid = ANY ($1::oid[]) \
      UNION ALL SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polrelid = ANY ($1::oid[])
      """, [list(relations)]
    ).compactMap(\.[0])
  }

  /// Only IMMUTABLE guarantees equal results for equal rows.
  private func changingFunction(
    _ calls: Set<String>, orPart parts: Set<String>
  ) throws(PostgresError) -> String? {
    func list(_ names: Set<String>) -> String { JSONValue(strings: names.sorted()).text }
    func isAny(_ list: String) -> String {
      "proname = ANY (ARRAY(SELECT json_array_elements_text(\(list)::json))::name[])"
    }
    return try rows(
      """
      SELECT proname FROM pg_proc WHERE (\(isAny("$1")) OR \(isAny("$2")) AND pronargs = 1 \
      AND pronamespace <> 'pg_catalog'::regnamespace AND EXISTS (SELECT FROM pg_type WHERE oid = proargtypes[0] \
      AND typtype IN ('c', 'p'))) AND provolatile <> 'i' \
      AND NOT (provolatile = 's' AND pronamespace = 'pg_catalog'::regnamespace AND \(isAny("$3"))) ORDER BY proname LIMIT 1
      """, [list(calls), list(parts), list(Self.steadyFunctions)]
    ).first?[0]
  }

  private static func words(in sql: String) -> Set<String> {
    let words = sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return Set(words.map(String.init))
  }

  /// Returns the names before a parenthesis: functions, and other words, which do no harm.
  private static func calls(in sql: String) -> [String] {
    names(in: sql, quoted: /"((?:[^"]|"")+)"\s*\(/, plain: /([\p{L}_][\p{L}\p{N}_$]*)\s*\(/)
  }

  /// Returns the names after a dot: columns, and functions of a row, which can be called like columns.
  private static func parts(in sql: String) -> [String] {
    names(in: sql, quoted: /\.\s*"((?:[^"]|"")+)"/, plain: /\.\s*([\p{L}_][\p{L}\p{N}_$]*)/)
  }

  /// The server folds unquoted names to lower case. The encoding determines whether this includes letters beyond
  /// ASCII, so both forms are returned.
  private static func names(
    in sql: String, quoted: Regex<(Substring, Substring)>, plain: Regex<(Substring, Substring)>
  ) -> [String] {
    sql.matches(of: quoted).map { String($0.1).replacing("\"\"", with: "\"") }
      + sql.matches(of: plain).flatMap { [String($0.1).foldedName, $0.1.lowercased()] }
  }
}
