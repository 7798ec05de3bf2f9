import SeedDatabase
import SeedFormat

struct LoggedTable: Hashable {
  let schema: String
  let name: String
  /// The columns that identify a row; empty if the log only records that the table was written.
  var keys: [LogKey] = []
  let noting: Noting

  enum Noting: String {
    case statement
    /// Triggers that fire per row. Only these fire for writes through another table or by replication.
    case row
  }

  var sql: String { "\(quoted(schema)).\(quoted(name))" }

  /// Returns the name to show to people who work in `schema`.
  func shownName(in schema: String) -> String { schema == self.schema ? name : "\(self.schema).\(name)" }
}

/// A key column. Its type in the log is the widest of its kind, so that writes do not fail after the column is widened.
struct LogKey: Hashable {
  let name: String
  /// The type's name, independent of the search path.
  let type: String
  let stored: String
  /// The column's own type, for casts in a reading session.
  let cast: String

  private static let integers: Set = ["int2", "int4", "int8", "oid"]
  private static let texts: Set = ["text", "varchar", "bpchar", "name"]
  /// Other types, besides enums, in which equal values have only one form.
  private static let others: Set = [
    "bool", "uuid", "bytea", "date", "time", "timestamp", "timestamptz", "inet", "cidr", "macaddr",
    "macaddr8",
  ]

  /// Parses the result of ``TableFacts/keyColumns``; nil if a column is missing or has an unsuitable type.
  static func all(_ text: String?, count: Int) -> [LogKey]? {
    guard count > 0 else { return [] }
    let keys = JSONValue.elements(of: text).compactMap { LogKey($0.elements ?? []) }
    return keys.count == count ? keys : nil
  }

  /// Returns nil for a type with several forms of equal values, such as 1.0 and 1.00.
  private init?(_ row: [JSONValue]) {
    guard row.count == 7, let name = row[0].string, let type = row[1].string, let base = row[2].string,
      let modifier = row[3].integer, let isEnum = row[4].bool, let isDeterministic = row[5].bool,
      let cast = row[6].string, isDeterministic
    else { return nil }
    switch base {
    case _ where Self.integers.contains(base): stored = "bigint"
    case _ where Self.texts.contains(base) || isEnum: stored = Self.text
    case _ where Self.others.contains(base): stored = base
    case "numeric" where modifier >= 0: stored = "numeric"
    default: return nil
    }
    (self.name, self.type, self.cast) = (name, type, cast)
  }

  private static let text = "text COLLATE \"C\""

  func value(of row: String) -> String {
    let column = "\(row).\(quoted(name))"
    return ["bigint", Self.text].contains(stored) ? "\(column)::\(stored)" : column
  }
}

struct TableFacts {
  let kind: String
  let isPermanent: Bool
  /// Whether rows can be written without firing a statement trigger of this table.
  let needsRows: Bool
  let hasForeignPartition: Bool
  /// The key's columns in order; nil if one is missing or has an unsuitable type.
  let keys: [LogKey]?
  let hasIndex: Bool
  let owner: String

  init?(_ oid: UInt32, keys names: [String], _ connection: PostgresConnection) throws(PostgresError) {
    let rows = try connection.rows(
      """
      SELECT c.relkind, c.relpersistence, \(Self.needsRows), \(Self.hasForeignPartition), \
      \(Self.keyColumns), \(Self.hasIndex), pg_get_userbyid(c.relowner) FROM pg_class c, \
      (SELECT ARRAY(SELECT json_array_elements_text($2::json)) AS keys) g WHERE c.oid = $1::oid
      """, ["\(oid)", JSONValue(strings: names).text])
    guard let row = rows.first else { return nil }
    (kind, isPermanent, owner) = (row[0] ?? "", row[1] == "p", row[6] ?? "")
    (needsRows, hasForeignPartition, hasIndex) = (row[2] == "t", row[3] == "t", row[5] == "t")
    keys = LogKey.all(row[4], count: names.count)
  }

  // MARK: Conditions on a table c in pg_class and key columns g.keys

  /// Writes through a partition's root or a parent table do not fire the statement triggers of the table itself.
  /// Writes by replication fire no statement triggers.
  static let needsRows = """
    (c.relkind = 'p' OR c.relispartition OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid) \
    OR EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = c.oid))
    """

  /// Whether a partition is on another server, which reports no writes.
  static let hasForeignPartition = """
    EXISTS (SELECT FROM pg_partition_tree(c.oid) part JOIN pg_class f ON f.oid = part.relid WHERE f.relkind = 'f')
    """

  static let keyColumns = """
    (SELECT json_agg(json_build_array(a.attname, format('%I.%I:%s', tn.nspname, t.typname, a.atttypmod), t.typname, \
    a.atttypmod, t.typtype = 'e', coalesce(l.collisdeterministic, true), format_type(a.atttypid, a.atttypmod) \
    || coalesce(' COLLATE ' || quote_ident(ln.nspname) || '.' || quote_ident(l.collname), '')) ORDER BY key.place) \
    FROM unnest(g.keys) WITH ORDINALITY AS key(name, place) JOIN pg_attribute a ON a.attrelid = c.oid \
    AND a.attname = key.name AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid \
    JOIN pg_namespace tn ON tn.oid = t.typnamespace LEFT JOIN pg_collation l ON l.oid = a.attcollation \
    LEFT JOIN pg_namespace ln ON ln.oid = l.collnamespace)
    """

  /// Whether an index begins with the key's columns and has their collations. Other indexes find no row by key.
  static let hasIndex = """
    EXISTS (SELECT FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_am m ON m.oid = ic.relam \
    WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND m.amname = 'btree' \
    AND (SELECT array_agg((i.indkey[x], i.indcollation[x])::text ORDER BY i.indkey[x]) \
    FROM generate_series(0, cardinality(g.keys) - 1) x) = (SELECT array_agg((attnum, attcollation)::text ORDER BY attnum) \
    FROM pg_attribute WHERE attrelid = c.oid AND attname = ANY (g.keys)))
    """
}
