import SeedDatabase
import SeedFormat

struct LogNames: Hashable {
  /// The schema that contains the log.
  let schema: String
  private let suffix: String

  /// PostgreSQL truncates longer names.
  private static let mostBytes = 63

  init(of source: String) {
    suffix = source == "public" ? "" : "_\(source)"
    schema = Self.cut("seedbank\(suffix)")
  }

  var registry: String { "\(quoted(schema)).logged" }

  func log(_ number: Int) -> String { "\(quoted(schema)).log_\(number)" }

  func function(_ event: LogTrigger.Event, _ number: Int) -> String { "\(log(number))_\(event.rawValue)" }

  func trigger(_ event: LogTrigger.Event) -> String {
    quoted(Self.cut("seedbank_\(event.rawValue)\(suffix)"))
  }

  private static func cut(_ name: String) -> String {
    var name = name
    while name.utf8.count > mostBytes { name.removeLast() }
    return name
  }
}

extension String {
  /// The string as an SQL literal that does not depend on `standard_conforming_strings`.
  var literal: String {
    let escaped = replacing(scalars: "'", with: "''").replacing(scalars: "\\", with: "\\\\")
    return unicodeScalars.contains("\\") ? " E'\(escaped)'" : "'\(escaped)'"
  }
}

// The objects that belong to the log. Users may have added others to its schema.
extension LogNames {
  /// Returns statements that drop the log's objects, and the schema if it contains nothing else.
  func removal(_ connection: PostgresConnection) throws(PostgresError) -> [String] {
    try connection.rows(Self.removalQuery, [schema]).compactMap(\.[0])
  }

  /// Returns a condition that is true for the registry table. `table` is the alias of pg_class in the query.
  static func isRegistry(_ table: String) -> String {
    "\(table).relname = 'logged' AND \(table).relkind = 'r' AND \(columns(of: table)) "
      + "= '{number,source_schema,source,noting,keys,types,token,pruned}'"
  }

  static func isLog(_ table: String) -> String {
    "\(table).relname ~ '^log_[0-9]+$' AND \(table).relkind = 'r' AND (\(columns(of: table)))[1:2] = '{xid,at}'"
  }

  private static func columns(of table: String) -> String {
    "(SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute WHERE attrelid = \(table).oid AND attnum > 0 AND NOT attisdropped)"
  }

  /// CASCADE on a trigger function drops only its triggers. If another object, such as a view, depends on the log,
  /// the server reports an error and nothing is dropped.
  private static let removalQuery = """
    WITH space AS (SELECT oid, nspname FROM pg_namespace WHERE nspname = $1), \
    part AS (SELECT 1 AS rank, 'pg_proc'::regclass AS class, p.oid, format('DROP FUNCTION %I.%I(%s)%s', nspname, p.proname, \
    pg_get_function_identity_arguments(p.oid), CASE WHEN p.prorettype = 'trigger'::regtype THEN ' CASCADE' ELSE '' END) AS sql \
    FROM pg_proc p JOIN space ON p.pronamespace = space.oid WHERE p.prokind = 'f' AND (p.prorettype = 'trigger'::regtype \
    AND p.proname ~ '^log_[0-9]+_(insert|update|delete|truncate|row)$' OR p.proname = 'prune' \
    AND pg_get_function_identity_arguments(p.oid) IN ('age interval', 'log integer, before xid8, age interval, most integer')) \
    UNION ALL SELECT 2, 'pg_class'::regclass, c.oid, format('DROP TABLE %I.%I', nspname, c.relname) \
    FROM pg_class c JOIN space ON c.relnamespace = space.oid WHERE \(isRegistry("c")) OR \(isLog("c"))) \
    SELECT sql FROM (SELECT rank, oid, sql FROM part UNION ALL SELECT 3, oid, format('DROP SCHEMA %I', nspname) FROM space \
    WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = space.oid \
    AND d.deptype = 'n' AND NOT EXISTS (SELECT FROM part WHERE part.class = d.classid AND part.oid = d.objid))) AS step \
    ORDER BY rank, oid
    """
}
