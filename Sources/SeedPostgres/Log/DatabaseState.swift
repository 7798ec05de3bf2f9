import SeedFormat
import SeedPublisher

/// A PostgreSQL snapshot: the set of finished transactions.
struct LogSnapshot: Hashable {
  let text: String
  /// All transactions with lower numbers have finished.
  let floor: UInt64

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let floor = UInt64(parts[0]), UInt64(parts[1]) != nil else { return nil }
    (self.text, self.floor) = (text, floor)
  }
}

/// The state of a database, for comparison with a later state.
struct DatabaseState: Hashable {
  /// The stored form of the other properties.
  let json: JSONValue
  /// The cluster's system identifier, which its copies share.
  let system: String
  let database: String
  let timeline: Int
  let isStandby: Bool
  /// ``PostgresConnection/serverStart``; empty for a standby, which loses no data in a restart.
  let start: String
  /// Transactions whose rows were certainly visible.
  let snapshot: LogSnapshot
  /// Rows of this and later transactions were not visible.
  let ceiling: UInt64
  /// A position in the write-ahead log after all visible rows.
  let reached: UInt64
  /// Digest of everything that can change rows without a write: functions, views, row types, inheritance, policies,
  /// enums, and the user.
  let definitions: String
  /// Digest of tables, views and indexes. A change does not invalidate the log, but may change which tables are read.
  let relations: String

  /// Whether this is a standby that may lack a part of an older state. False for a primary, because its operator may
  /// have restored an older state on purpose.
  func isBehind(_ older: DatabaseState, replayedBefore: UInt64?) -> Bool {
    guard isStandby, system == older.system, database == older.database, timeline <= older.timeline else {
      return false
    }
    // If `reached` is too high (read late) or `replayedBefore` too low (read early), only the wait gets longer.
    let hasAll = snapshot.floor >= older.ceiling || (replayedBefore ?? 0) >= older.reached
    return timeline < older.timeline || !hasAll
  }

  /// Whether each SELECT reads the same tables as in another state of the same session.
  func hasRelations(of other: DatabaseState?) -> Bool {
    definitions == other?.definitions && relations == other?.relations
  }

  /// Returns why the log may lack changes since an older state; nil if it contains them all.
  func doubt(since older: DatabaseState) -> LogDoubt? {
    guard system == older.system, database == older.database else { return .otherDatabase }
    guard timeline == older.timeline else { return .otherTimeline }
    // A server that crashed may have lost visible commits and may assign their numbers again.
    guard isStandby == older.isStandby, start == older.start else { return .otherServer }
    return definitions == older.definitions ? nil : .otherSchema
  }
}

extension DatabaseState {
  init?(_ json: JSONValue) {
    guard let system = json["system"]?.string, let database = json["database"]?.string,
      let timeline = json["timeline"]?.integer, let isStandby = json["standby"]?.bool,
      let start = json["start"]?.string, let snapshot = json["snapshot"]?.string.flatMap({ LogSnapshot($0) }),
      let ceiling = json["ceiling"]?.string.flatMap({ UInt64($0) }),
      let reached = json["reached"]?.string.flatMap({ UInt64($0) }),
      let definitions = json["definitions"]?.string, let relations = json["relations"]?.string
    else { return nil }
    self.init(
      json: json, system: system, database: database, timeline: timeline, isStandby: isStandby, start: start,
      snapshot: snapshot, ceiling: ceiling, reached: reached, definitions: definitions, relations: relations)
  }

  /// The state that the connection's transaction reads.
  init?(_ connection: PostgresConnection) throws(PostgresError) {
    let rows = try connection.rows(Self.query, [LogNames(of: connection.place.schema).schema])
    guard let text = rows.first?[0], let json = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    self.init(json)
  }

  /// The write-ahead log's position is read after the snapshot is taken, so all visible rows are before it. A
  /// standby's timeline is the newer of two values, because each may be outdated. A standby's snapshot does not list
  /// transactions in progress, so only transactions below the oldest unfinished one count as visible.
  private static let query = """
    SELECT json_build_object('system', system_identifier::text, \
    'database', (SELECT oid::text FROM pg_database WHERE datname = current_database()), \
    'timeline', coalesce(CASE WHEN standby THEN (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline) \
    FROM pg_control_checkpoint() c, pg_control_recovery() r) \
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END, 0), \
    'standby', standby, 'start', CASE WHEN standby THEN '' ELSE \(PostgresConnection.serverStart) END, \
    'snapshot', CASE WHEN standby THEN format('%s:%1$s:', pg_snapshot_xmin(snapshot)) ELSE snapshot::text END, \
    'ceiling', pg_snapshot_xmax(snapshot)::text, \
    'reached', coalesce(CASE WHEN standby THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - pg_lsn '0/0', \
    \(UInt64.max))::text, 'definitions', (\(definitions)), 'relations', (\(relations))) \
    FROM pg_control_system(), pg_is_in_recovery() standby, pg_current_snapshot() snapshot
    """

  /// Digest of tables, views, indexes and inheritance; columns are checked for each logged table.
  private static let relations = """
    SELECT md5(concat_ws('/', (SELECT string_agg(concat_ws(':', c.oid, c.relnamespace, c.relname, c.relkind, c.relnatts), ',' \
    ORDER BY c.oid) FROM pg_class c WHERE c.oid >= \(firstOwnNumber) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I') \
    AND c.relpersistence <> 't'), (SELECT string_agg(i.inhrelid || ':' || i.inhparent, ',' ORDER BY i.inhrelid, i.inhseqno) \
    FROM pg_inherits i)))
    """

  /// The lowest OID of objects that users create.
  private static let firstOwnNumber = 16_384

  /// Identifies each definition by the transaction that wrote its catalog row. That row does not change if the
  /// schema or table is renamed, so both names are included. The log's own functions are checked separately.
  private static let definitions = """
    SELECT md5(concat_ws('/', current_user, current_setting('lc_time'), current_setting('lc_numeric'), current_setting('lc_monetary'), \
    (SELECT string_agg(concat_ws(':', p.oid, p.xmin, n.nspname), ',' ORDER BY p.oid) FROM pg_proc p JOIN pg_namespace n \
    ON n.oid = p.pronamespace WHERE p.oid >= \(firstOwnNumber) AND n.nspname NOT LIKE 'pg\\_temp%' AND n.nspname <> $1), \
    (SELECT string_agg(concat_ws(':', r.oid, r.xmin, n.nspname, c.relname, c.relowner, c.reloptions), ',' ORDER BY r.oid) \
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE r.oid >= \(firstOwnNumber) AND c.relpersistence <> 't'), \
    (SELECT string_agg(y.oid || ':' || y.xmin::text, ',' ORDER BY y.oid) FROM pg_policy y), \
    (SELECT string_agg(e.oid || ':' || e.xmin::text, ',' ORDER BY e.oid) FROM pg_enum e), \
    (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin::text, ',' ORDER BY a.attrelid, a.attnum) \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.oid >= \(firstOwnNumber) AND c.relpersistence <> 't' \
    AND (c.relkind IN ('c', 'v') OR c.relkind IN ('r', 'p') AND c.reltype IN (\(types)))), \
    (SELECT string_agg(i.inhrelid || ':' || i.inhparent, ',' ORDER BY i.inhrelid, i.inhparent) FROM pg_inherits i \
    JOIN pg_class p ON p.oid = i.inhparent AND p.relkind = 'r' \
    JOIN pg_class h ON h.oid = i.inhrelid AND h.relpersistence <> 't'), (\(exemptions))))
    """

  /// The types of columns, and the types within arrays and domains. Row types are among them.
  private static let types = """
    SELECT unnest(ARRAY[y.oid, y.typelem, y.typbasetype]) FROM pg_depend d JOIN pg_type y ON y.oid = d.refobjid \
    JOIN pg_class c ON c.oid = d.objid WHERE d.refclassid = 'pg_type'::regclass AND d.classid = 'pg_class'::regclass \
    AND c.relpersistence <> 't'
    """

  /// Determines which rows row-level security hides from the user, and from views' owners, whose rights views use.
  private static let exemptions = """
    SELECT string_agg(concat_ws(':', c.oid, c.relforcerowsecurity, c.relowner, u.oid, u.rolsuper, u.rolbypassrls, \
    pg_has_role(u.oid, c.relowner, 'USAGE'), ARRAY(SELECT pg_has_role(u.oid, role, 'USAGE') \
    FROM pg_policy y, unnest(y.polroles) role WHERE y.polrelid = c.oid ORDER BY y.oid, role)), ',' ORDER BY c.oid, u.oid) \
    FROM pg_class c, pg_roles u WHERE c.relrowsecurity AND c.relpersistence <> 't' AND (u.rolname = current_user \
    OR u.oid IN (SELECT relowner FROM pg_class WHERE relkind = 'v' AND oid >= \(firstOwnNumber) AND relpersistence <> 't'))
    """
}

/// The state of one table's log at a step.
struct LogMark: Hashable {
  let identity: String
  let columns: String
  let files: String
  /// The newest entry; nil for an empty log.
  let witness: Witness?

  struct Witness: Hashable {
    let transaction: UInt64
    let time: String
  }

  init(_ table: WatchedTable, witness: Witness?) {
    (identity, columns, files) = (table.identity, table.columns, table.files)
    self.witness = witness
  }

  init?(_ json: JSONValue?) {
    guard let parts = json?.elements?.compactMap(\.string), parts.count >= 3 else { return nil }
    (identity, columns, files) = (parts[0], parts[1], parts[2])
    witness = parts.count == 5 ? UInt64(parts[3]).map { Witness(transaction: $0, time: parts[4]) } : nil
  }

  var json: JSONValue {
    JSONValue(strings: [identity, columns, files] + (witness.map { ["\($0.transaction)", $0.time] } ?? []))
  }

  /// Returns why the log is incomplete since `snapshot`; nil if it is complete.
  func doubt(of table: WatchedTable, since snapshot: LogSnapshot) -> LogDoubt? {
    if identity != table.identity { return .otherTriggers }
    if columns != table.columns { return .otherSchema }
    // Another publisher may have pruned entries that this one needs.
    return table.pruned > snapshot.floor ? .pruned : nil
  }
}
