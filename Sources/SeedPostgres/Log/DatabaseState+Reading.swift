extension DatabaseState {
  /// The state that the connection's transaction reads.
  init?(_ connection: PostgresConnection) throws(PostgresError) {
    let rows = try connection.rows(Self.query, [LogNames(of: connection.place.schema).schema])
    guard let row = rows.first, let snapshot = row[5].flatMap({ LogSnapshot($0) }) else { return nil }
    let isStandby = row[2] == "t"
    self.init(
      system: row[0] ?? "", database: row[1] ?? "", timeline: row[3].flatMap { Int($0) } ?? 0,
      isStandby: isStandby, start: isStandby ? "" : row[4] ?? "",
      snapshot: isStandby ? snapshot.collapsed : snapshot, ceiling: snapshot.ceiling,
      reached: Self.place(row[6]) ?? .max,
      definitions: row[7] ?? "", relations: row[8] ?? "")
  }

  /// The write-ahead log's position is read after the snapshot is taken, so all visible rows are before it. A standby's
  /// timeline may be late in both of its sources.
  private static let query = """
    SELECT s.system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()), pg_is_in_recovery(), \
    CASE WHEN pg_is_in_recovery() THEN (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline) \
    FROM pg_control_checkpoint() c, pg_control_recovery() r) \
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int END, \
    pg_postmaster_start_time(), pg_current_snapshot(), \
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END, \
    (\(definitions)), (\(relations)) FROM pg_control_system() s
    """

  /// Digest of tables, views, indexes and inheritance; columns are checked for each logged table.
  private static let relations = """
    SELECT md5(concat_ws('/', (SELECT string_agg(concat_ws(':', c.oid, c.relnamespace, c.relname, c.relkind, c.relnatts), ',' \
    ORDER BY c.oid) FROM pg_class c WHERE c.oid >= \(firstOwnNumber) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I') \
    AND c.relpersistence <> 't'), (SELECT string_agg(i.inhrelid || ':' || i.inhparent, ',' ORDER BY i.inhrelid, i.inhseqno) \
    FROM pg_inherits i)))
    """

  /// The first OID of an object that does not belong to the server.
  private static let firstOwnNumber = 16_384

  /// Identifies definitions by the transactions that wrote them. The log's own functions are checked separately.
  private static let definitions = """
    SELECT md5(concat_ws('/', current_user, current_setting('lc_time'), current_setting('lc_numeric'), current_setting('lc_monetary'), \
    (SELECT string_agg(p.oid || ':' || p.xmin::text, ',' ORDER BY p.oid) FROM pg_proc p WHERE p.oid >= \(firstOwnNumber) \
    AND p.pronamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_temp%' OR nspname = $1)), \
    (SELECT string_agg(r.oid || ':' || r.xmin::text, ',' ORDER BY r.oid) FROM pg_rewrite r JOIN pg_class c \
    ON c.oid = r.ev_class WHERE r.oid >= \(firstOwnNumber) AND c.relpersistence <> 't'), \
    (SELECT string_agg(y.oid || ':' || y.xmin::text, ',' ORDER BY y.oid) FROM pg_policy y), \
    (SELECT string_agg(e.oid || ':' || e.xmin::text, ',' ORDER BY e.oid) FROM pg_enum e), \
    (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin::text, ',' ORDER BY a.attrelid, a.attnum) \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relkind = 'c'), \
    (SELECT string_agg(c.oid || ':' || c.relrowsecurity, ',' ORDER BY c.oid) FROM pg_class c WHERE c.relrowsecurity)))
    """
}
