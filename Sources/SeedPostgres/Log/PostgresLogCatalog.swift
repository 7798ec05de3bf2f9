import SeedDatabase
import SeedFormat
import SeedTrust

/// A database's logs according to its catalog, with a check of their triggers.
struct PostgresLogCatalog {
  let watched: [WatchedTable]
  let gaps: [String]

  /// Returns nil if the database has no log.
  init?(_ names: LogNames, _ connection: PostgresConnection) throws(PostgresError) {
    guard try Self.isReadable(names, connection) else { return nil }
    let triggers = try FoundTrigger.all(names, connection)
    let all = try connection.rows(Self.tables(names)).compactMap { WatchedTable($0) }
    watched = all.compactMap { table in table.proven(by: triggers[table.number] ?? [], names) }
    let numbers = Set(watched.map(\.number))
    gaps = all.filter { !numbers.contains($0.number) }.map { $0.table.shownName(in: connection.place.schema) }
  }

  static func exists(_ names: LogNames, _ connection: PostgresConnection) throws(PostgresError) -> Bool {
    try !connection.rows(
      "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND "
        + LogNames.isRegistry("c"), [names.schema]
    ).isEmpty
  }

  /// Returns false if there is no log; throws if this user may not read it.
  private static func isReadable(
    _ names: LogNames, _ connection: PostgresConnection
  ) throws(PostgresError) -> Bool {
    let rows = try connection.rows(
      """
      SELECT current_user, has_schema_privilege(n.oid, 'USAGE') AND coalesce((SELECT bool_and(has_table_privilege(c.oid, 'SELECT')) \
      FROM pg_class c WHERE c.relnamespace = n.oid AND (\(LogNames.isRegistry("c")) OR \(LogNames.isLog("c")))), true) \
      FROM pg_namespace n WHERE n.nspname = $1 \
      AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND \(LogNames.isRegistry("c")))
      """, [names.schema])
    guard let row = rows.first else { return false }
    guard row[1] != "t" else { return true }
    let grants = names.grants(to: row[0] ?? "").map { "\($0);" }.joined(separator: " ")
    throw .configuration(
      "the log of the origin \(connection.place.text) cannot be read: have its owner run: \(grants)")
  }

  private static func tables(_ names: LogNames) -> String {
    """
    SELECT g.number, g.source_schema, g.source, g.noting, to_json(g.types), g.token, g.pruned, c.oid, l.oid, \
    c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND (g.noting = 'row' OR NOT \(TableFacts.needsRows)) \
    AND NOT \(TableFacts.hasForeignPartition), \(TableFacts.keyColumns), \(TableFacts.hasIndex), \
    (SELECT md5(string_agg(concat_ws(':', attnum, attname, atttypid, atttypmod, attcollation, \
    CASE WHEN attgenerated = 'v' THEN xmin::text END), ',' ORDER BY attnum)) \
    FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0), \
    (SELECT md5(string_agg(f.oid || ':' || f.relfilenode, ',' ORDER BY f.oid)) FROM pg_class f \
    WHERE f.oid = c.oid OR f.oid IN (SELECT relid FROM pg_partition_tree(c.oid))), \
    (SELECT json_agg(relid::oid::bigint) FROM pg_partition_tree(c.oid)) \
    FROM \(names.registry) g LEFT JOIN pg_namespace n ON n.nspname = g.source_schema \
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = g.source \
    LEFT JOIN pg_class l ON l.relname = 'log_' || g.number \
    AND l.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = \(names.schema.literal)) ORDER BY g.number
    """
  }
}

struct WatchedTable {
  let number: Int
  let table: LoggedTable
  let members: Set<UInt32>
  /// Log entries of transactions before this one have been removed.
  let pruned: UInt64
  let hasIndex: Bool
  fileprivate(set) var identity: String
  let columns: String
  /// The identity of the files that contain the rows. It changes after TRUNCATE, a rewrite, or a partition change.
  fileprivate(set) var files: String
  private let isSound: Bool

  fileprivate init?(_ row: [String?]) {
    guard let number = row[0].flatMap({ Int($0) }), let noting = row[3].flatMap(LoggedTable.Noting.init)
    else { return nil }
    self.number = number
    let types = JSONValue.elements(of: row[4])
    let keys = LogKey.all(row[10], count: types.count)
    table = LoggedTable(schema: row[1] ?? "", name: row[2] ?? "", keys: keys ?? [], noting: noting)
    isSound = row[9] == "t" && row[8] != nil && keys?.map(\.type) == types.compactMap(\.string)
    identity = [row[5], row[7], row[8]].map { $0 ?? "" }.joined(separator: ":")
    pruned = row[6].flatMap { UInt64($0) } ?? 0
    hasIndex = row[11] == "t"
    (columns, files) = (row[12] ?? "", row[13] ?? "")
    let parts = JSONValue.elements(of: row[14]).compactMap { $0.integer.flatMap { UInt32(exactly: $0) } }
    members = Set(parts).union([row[7].flatMap { UInt32($0) } ?? 0])
  }

  /// Returns the table with its triggers' identity; nil if a trigger is missing, disabled or modified.
  fileprivate func proven(by found: [FoundTrigger], _ names: LogNames) -> Self? {
    guard isSound else { return nil }
    let wanted = LogTrigger.all(for: table, in: names.log(number))
    for trigger in wanted {
      let good = found.filter { $0.isGood && $0.does(trigger) }
      // Each partition has its own row trigger.
      let isComplete =
        trigger.event == .row
        ? good.count >= members.count : good.contains { members.contains($0.table) && $0.isOfTable }
      guard isComplete else { return nil }
    }
    var proven = self
    proven.identity += "/" + Self.digest(found.filter(\.isOfTable))
    proven.files += "/" + Self.digest(found.filter { !$0.isOfTable })
    return proven
  }

  private static func digest(_ triggers: [FoundTrigger]) -> String {
    SHA256Digest.of(Array(triggers.map(\.identity).sorted().joined(separator: ",").utf8)).hex
  }
}

private struct FoundTrigger {
  let table: UInt32
  let isOfTable: Bool
  /// Whether the trigger always fires, and for every row.
  let isGood: Bool
  let identity: String
  private let type: Int
  private let references: [String]
  private let body: String

  static func all(_ names: LogNames, _ connection: PostgresConnection) throws(PostgresError) -> [Int:
    [FoundTrigger]]
  {
    let rows = try connection.rows(
      """
      WITH source AS (SELECT g.number, c.oid FROM \(names.registry) g JOIN pg_namespace n ON n.nspname = g.source_schema \
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = g.source), \
      member AS (SELECT number, oid, true AS own FROM source UNION SELECT number, relid::oid, relid::oid = oid \
      FROM source, pg_partition_tree(oid)) \
      SELECT m.number, m.oid, m.own, t.tgenabled = 'A' AND t.tgqual IS NULL AND t.tgattr::text = '' AND p.prosecdef, \
      concat_ws(':', t.oid, t.xmin, t.tgenabled, t.tgfoid, p.xmin), t.tgtype, t.tgoldtable, t.tgnewtable, p.prosrc \
      FROM member m JOIN pg_trigger t ON t.tgrelid = m.oid JOIN pg_proc p ON p.oid = t.tgfoid \
      WHERE p.pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
      """, [names.schema])
    return Dictionary(grouping: rows) { $0[0].flatMap { Int($0) } ?? 0 }.mapValues {
      $0.map(FoundTrigger.init)
    }
  }

  private init(_ row: [String?]) {
    table = row[1].flatMap { UInt32($0) } ?? 0
    (isOfTable, isGood, identity) = (row[2] == "t", row[3] == "t", row[4] ?? "")
    type = row[5].flatMap { Int($0) } ?? 0
    (references, body) = ([row[6] ?? "", row[7] ?? ""], row[8] ?? "")
  }

  func does(_ trigger: LogTrigger) -> Bool {
    type == trigger.type && references == [trigger.event.old, trigger.event.new] && body == trigger.body
  }
}
