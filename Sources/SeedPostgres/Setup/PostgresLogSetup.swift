import SeedDatabase
package import SeedPublisher

package struct PostgresLogSetup: OriginLogMaker {
  private let place: PostgresPlace
  private let owner: PostgresPlace
  private let reader: PostgresConnection
  private let names: LogNames

  /// Connects as the publishing user and writes nothing. `owner` connects to the same database, as a user who may
  /// create logs.
  package init(_ place: PostgresPlace, owner: PostgresPlace? = nil) throws {
    (self.place, self.owner, names) = (place, owner ?? place, LogNames(of: place.schema))
    reader = try PostgresConnection(place)
    try reader.begin()
  }

  package func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft {
    let draft = try PostgresLogDraft(reader, plans)
    // Another session creates the log, and must not wait for this session's locks.
    try reader.releaseLocks()
    return OriginLogDraft(logged: draft.logged, left: draft.left, statements: draft.statements)
  }

  package func removal() throws -> [String] {
    let schemas = try reader.rows("SELECT FROM pg_namespace WHERE nspname = $1", [names.schema])
    guard !schemas.isEmpty else { return [] }
    guard try PostgresLogCatalog.exists(names, reader) else {
      throw PostgresError.configuration(
        "the origin \(place.text) has a schema \"\(names.schema)\" that is not a log: rename that schema, because the log needs its name"
      )
    }
    return try names.removal(reader)
  }

  /// Wraps the statements in one transaction. Its lock timeout is short, because writers queue behind a waiting lock.
  package func script(_ statements: [String]) -> [String] {
    ["BEGIN", "SET LOCAL lock_timeout = '\(place.lockTimeoutSeconds)s'"] + statements + ["COMMIT"]
  }

  package func run(_ statements: [String]) throws {
    let connection = try PostgresConnection(owner)
    for statement in script(statements) {
      do throws(PostgresError) {
        try connection.rows(statement)
      } catch { throw withRemedy(error, of: statement) }
    }
  }

  /// Replaces the error's remedy, which is for a user that only reads, with one for a user that creates the log.
  private func withRemedy(_ error: PostgresError, of statement: String) -> PostgresError {
    guard case .server(_, _, let message) = error else { return error }
    if message.state == "25006" {
      return .configuration(
        "the log of the origin \(place.text) was not changed: \(message.text); give --owner with a URL of the primary, because a "
          + "standby accepts no writes")
    }
    guard message.state == "42501" else { return error }
    if statement.hasPrefix("CREATE SCHEMA") {
      return .configuration(
        "the log of the origin \(place.text) was not made: \(message.text) (as user \(message.user)); have the database's owner run: "
          + "GRANT CREATE ON DATABASE … TO \(quoted(message.user)); or give --owner with the URL of a user who has this right, or "
          + "have that user run the SQL of '--print'")
    }
    return .configuration(
      "the log of the origin \(place.text) was not changed: \(message.text) (as user \(message.user)); give --owner with the URL of the "
        + "user who owns the tables and the log, or have that user run the SQL of '--print'")
  }
}

/// The SQL that creates a log of all writes to a dataset's tables.
struct PostgresLogDraft {
  /// A table without keys is compared as a whole after a write.
  private(set) var logged: [(table: String, keys: [String], remark: String?)] = []
  private(set) var left: [(table: String, reason: String)] = []
  private(set) var statements: [String] = []

  private let names: LogNames
  private let schema: String

  init(_ connection: PostgresConnection, _ plans: [SeriesPlan]) throws {
    (names, schema) = (LogNames(of: connection.place.schema), connection.place.schema)
    statements = ["CREATE SCHEMA \(quoted(names.schema))", Self.registry(names)]
    for table in try Self.tables(readBy: plans, connection) { try add(table, connection) }
    let role = try connection.rows("SELECT current_user").first?[0] ?? ""
    statements += Self.pruning(names)
    statements.append("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA \(quoted(names.schema)) FROM PUBLIC")
    statements += names.grants(to: role)
  }

  /// `keys` has the origin's names of the client's key columns; it is empty if only SELECTs read the table.
  fileprivate typealias Table = (relation: ReadRelation, keys: [String])

  /// Returns the tables that a dataset reads. Replaces a partition by its root, and a view by the tables that it reads.
  private static func tables(readBy plans: [SeriesPlan], _ connection: PostgresConnection) throws -> [Table] {
    let (types, reading) = (TypeCatalog(connection), ReadingCatalog(connection))
    var tables: [UInt32: Table] = [:]
    for plan in plans {
      for table in plan.schema.tables {
        let source = plan.projection(table)
        let projection = try PostgresProjection(table, source, connection, types)
        let relations = try reading.relations(readBy: projection).filter { !$0.isView }
        let roots = try Set(
          relations.map { relation throws(PostgresError) in
            try connection.relations("c.oid = pg_partition_root($1::oid)", "\(relation.oid)").first
              ?? relation
          })
        for relation in roots where tables[relation.oid] == nil {
          tables[relation.oid] = (relation, [])
        }
        // If the client's table is a view in the origin, its rows may differ from those of the table behind it.
        let own = roots.first { $0.schema == connection.place.schema && $0.name == table.name }?.oid
        guard source.sql == nil, roots.count == 1, let own, tables[own]?.keys.isEmpty == true else {
          continue
        }
        tables[own]?.keys = table.key.map { projection.names[$0] }
      }
    }
    return tables.values.sorted {
      ($0.relation.schema, $0.relation.name) < ($1.relation.schema, $1.relation.name)
    }
  }

  private mutating func add(_ table: Table, _ connection: PostgresConnection) throws(PostgresError) {
    guard let facts = try TableFacts(table.relation.oid, keys: table.keys, connection) else { return }
    var source = LoggedTable(
      schema: table.relation.schema, name: table.relation.name, noting: facts.needsRows ? .row : .statement)
    let shown = source.shownName(in: schema)
    if let obstacle = facts.obstacle { return left.append((shown, obstacle)) }
    let remark = facts.remark(table)
    if remark == nil { source.keys = facts.keys ?? [] }
    logged.append((shown, source.keys.map(\.name), remark))
    statements += Self.log(of: source, logged.count, names)
    guard facts.kind == "p" else { return }
    // A user who creates a partition also creates its row trigger, and so needs this right. PUBLIC does not get it:
    // with a trigger on a table of their own, users of the schema could run its casts with the log owner's rights.
    statements.append(
      "GRANT EXECUTE ON FUNCTION \(names.function(.row, logged.count))() TO \(quoted(facts.owner))")
  }

  private static func registry(_ names: LogNames) -> String {
    """
    CREATE TABLE \(names.registry) (number integer PRIMARY KEY, source_schema text NOT NULL, source text NOT NULL, \
    noting text NOT NULL, keys text[] NOT NULL, types text[] NOT NULL, token uuid NOT NULL DEFAULT gen_random_uuid(), \
    pruned xid8 NOT NULL DEFAULT '0', UNIQUE (source_schema, source))
    """
  }

  private static func log(of table: LoggedTable, _ number: Int, _ names: LogNames) -> [String] {
    let columns = table.keys.enumerated().map { ", k\($0.offset) \($0.element.stored)" }.joined()
    func array(_ texts: [String]) -> String {
      "ARRAY[\(texts.map(\.literal).joined(separator: ", "))]::text[]"
    }
    return [
      "INSERT INTO \(names.registry) (number, source_schema, source, noting, keys, types) VALUES (\(number), "
        + "\(table.schema.literal), \(table.name.literal), '\(table.noting.rawValue)', "
        + "\(array(table.keys.map(\.name))), \(array(table.keys.map(\.type))))",
      // The time distinguishes entries of different servers that have the same transaction number.
      "CREATE TABLE \(names.log(number)) (xid xid8 NOT NULL DEFAULT pg_current_xact_id(), "
        + "at timestamptz NOT NULL DEFAULT now()\(columns))", "CREATE INDEX ON \(names.log(number)) (xid)",
      // A publication FOR ALL TABLES otherwise rejects the removal of entries.
      "ALTER TABLE \(names.log(number)) REPLICA IDENTITY FULL",
      // Each log has an entry from the start, because an empty log counts as edited by hand.
      "INSERT INTO \(names.log(number)) DEFAULT VALUES",
    ] + LogTrigger.all(for: table, in: names.log(number)).flatMap { $0.statements(for: table, number, names) }
  }

  /// Returns functions that remove old entries except the newest, and record the limit so that publishers detect gaps.
  private static func pruning(_ names: LogNames) -> [String] {
    let prune = "\(quoted(names.schema)).prune"
    let step = """
      DECLARE gone bigint; BEGIN
      EXECUTE format('DELETE FROM %s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE xid < $1 AND at < now() - $2 \
      AND xid < (SELECT xid FROM %1$s ORDER BY xid DESC LIMIT 1) ORDER BY xid LIMIT $3))', \("\(quoted(names.schema)).log_".literal) || log) \
      USING before, age, most;
      GET DIAGNOSTICS gone = ROW_COUNT;
      UPDATE \(names.registry) SET pruned = before WHERE number = log AND pruned < before AND gone > 0;
      RETURN gone; END
      """
    let old = """
      DECLARE one record; edge xid8; gone bigint; total bigint := 0; BEGIN
      FOR one IN SELECT number FROM \(names.registry) ORDER BY number LOOP
      EXECUTE format('SELECT xid FROM %s WHERE at < now() - $1 ORDER BY xid DESC LIMIT 1', \
      \("\(quoted(names.schema)).log_".literal) || one.number) INTO edge USING age;
      IF edge IS NOT NULL THEN gone := \(prune)(one.number, (edge::text::bigint + 1)::text::xid8, age, 2147483647); total := total + gone; END IF;
      END LOOP; RETURN total; END
      """
    let settings = "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
    return [
      "CREATE FUNCTION \(prune)(log integer, before xid8, age interval, most integer) RETURNS bigint \(settings) AS \(step.literal)",
      "CREATE FUNCTION \(prune)(age interval) RETURNS bigint \(settings) AS \(old.literal)",
    ]
  }
}

extension LogNames {
  func grants(to role: String) -> [String] {
    let (schema, role) = (quoted(schema), quoted(role))
    return [
      "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)",
      "GRANT EXECUTE ON FUNCTION \(schema).prune(integer, xid8, interval, integer) TO \(role)",
    ]
  }
}

extension TableFacts {
  fileprivate var obstacle: String? {
    switch kind {
    case "r", "p": break
    case "m": return "it is a materialized view, which has no triggers"
    case "f": return "it is a foreign table: its server does not report writes"
    default: return "it is not a table"
    }
    guard isPermanent else { return "it is not permanent: a crash empties it without firing a trigger" }
    return hasForeignPartition ? "one of its partitions is foreign: its server does not report writes" : nil
  }

  /// Returns why a logged table is compared as a whole; nil if its rows are logged.
  fileprivate func remark(_ table: PostgresLogDraft.Table) -> String? {
    if table.keys.isEmpty { return "clients get its rows through a view or a SELECT" }
    let columns = table.keys.map(quoted).joined(separator: ", ")
    guard keys != nil else { return "equal values of its key \(columns) may have different texts" }
    return hasIndex
      ? nil
      : "no index finds its rows by their key: CREATE INDEX ON \(quoted(table.relation.name)) (\(columns))"
  }
}
