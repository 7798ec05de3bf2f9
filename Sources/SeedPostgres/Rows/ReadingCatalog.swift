import SeedDatabase

struct ReadRelation: Hashable {
  let oid: UInt32
  let schema: String
  let name: String
  /// `r`, `p`, `v`, `m` or `f`, as in pg_class.
  let kind: String

  var isView: Bool { kind == "v" }
}

/// Finds the relations that SELECTs read, including views and their tables, from the server's locks: it locks each
/// relation before planning, even those that the plan does not use.
final class ReadingCatalog {
  private let connection: PostgresConnection
  private var known: [String: [ReadRelation]] = [:]
  private var plain: [String: ReadRelation]?

  init(_ connection: PostgresConnection) { self.connection = connection }

  func relations(readBy projection: PostgresProjection) throws(PostgresError) -> [ReadRelation] {
    if let table = try plainTables()[projection.source] { return [table] }
    if let relations = known[projection.source] { return relations }
    let relations = try locked(by: "SELECT * FROM \(projection.source) AS seedbank_rows")
    known[projection.source] = relations
    return relations
  }

  func isPlainTable(_ projection: PostgresProjection) throws(PostgresError) -> Bool {
    try plainTables()[projection.source] != nil
  }

  /// Tables without partitions, inheritance or policies, by their SQL.
  private func plainTables() throws(PostgresError) -> [String: ReadRelation] {
    if let plain { return plain }
    let schema = connection.place.schema
    let rows = try connection.rows(
      """
      SELECT c.oid, n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity
      """, [schema])
    let tables = rows.map(ReadRelation.init)
    let found = Dictionary(tables.map { ("\(quoted(schema)).\(quoted($0.name))", $0) }) { first, _ in first }
    plain = found
    return found
  }

  private func locked(by select: String) throws(PostgresError) -> [ReadRelation] {
    try connection.releaseLocks()
    try connection.rows("EXPLAIN \(select)")
    let rows = try connection.rows(
      """
      SELECT DISTINCT c.oid, n.nspname, c.relname, c.relkind FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' \
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname NOT IN ('pg_catalog', 'pg_toast') ORDER BY 1
      """)
    try connection.releaseLocks()
    return rows.map(ReadRelation.init)
  }
}

extension ReadRelation {
  init(_ row: [String?]) {
    oid = row[0].flatMap { UInt32($0) } ?? 0
    (schema, name, kind) = (row[1] ?? "", row[2] ?? "", row[3] ?? "")
  }
}
