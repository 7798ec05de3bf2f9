import SeedFormat
import SeedPublisher

struct SchemaCatalog {
  private(set) var tables: [Table] = []
  /// Views and foreign tables, which have no key, each with its kind.
  private(set) var others: [(name: String, kind: String)] = []

  struct Table {
    let name: String
    let isReadable: Bool
    /// Whether row-level security hides rows from the connection's user.
    let isGuarded: Bool
    /// Whether row-level security hides rows from other users only.
    let isExempt: Bool
    /// The quoted names of tables that inherit from this one; nil if there are none.
    let heirs: String?
    let columns: [Column]
    let indexes: [Index]
    let hasRules: Bool

    fileprivate init(_ row: [String?]) {
      (name, heirs, hasRules) = (row[0] ?? "", row[5], row[8] == "t")
      (isReadable, isGuarded, isExempt) = (row[2] == "t", row[3] == "t", row[4] == "t")
      columns = JSONValue.elements(of: row[6]).compactMap(\.elements).map(Column.init)
      indexes = JSONValue.elements(of: row[7]).compactMap(\.elements).map(Index.init)
    }
  }

  struct Column {
    let name: String
    let type: UInt32
    let isNotNull: Bool

    fileprivate init(_ parts: [JSONValue]) {
      (name, isNotNull) = (parts[0].string ?? "", parts[2].bool == true)
      type = UInt32(parts[1].integer ?? 0)
    }
  }

  struct Index {
    let name: String
    /// The columns without INCLUDE columns; empty if the index is invalid, partial, not a B-tree, or has an expression.
    let columns: [String]
    let isPrimary: Bool
    let isUnique: Bool

    fileprivate init(_ parts: [JSONValue]) {
      (name, isPrimary, isUnique) = (parts[0].string ?? "", parts[1].bool == true, parts[2].bool == true)
      columns = (parts[3].elements ?? []).compactMap(\.string)
    }
  }

  init(_ connection: PostgresConnection) throws(PostgresError) {
    for row in try connection.rows(Self.query, [connection.place.schema]) {
      if let kind = Self.kinds[row[1] ?? ""] {
        others.append((row[0] ?? "", kind))
      } else {
        tables.append(Table(row))
      }
    }
  }

  private static let kinds = ["v": "view", "m": "materialized view", "f": "foreign table"]

  /// Excludes objects of extensions, and partitions, which belong to their table.
  private static let query = """
    SELECT c.relname, c.relkind, has_table_privilege(c.oid, 'SELECT'), row_security_active(c.oid), \
    c.relrowsecurity AND NOT row_security_active(c.oid), \
    (SELECT string_agg('"' || h.relname || '"', ', ' ORDER BY h.relname) FROM pg_inherits i \
    JOIN pg_class h ON h.oid = i.inhrelid AND NOT h.relispartition WHERE i.inhparent = c.oid), \
    (SELECT json_agg(json_build_array(attname, atttypid::bigint, attnotnull) ORDER BY attnum) FROM pg_attribute \
    WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), \
    (SELECT json_agg(json_build_array(i.relname, x.indisprimary, x.indisunique, CASE WHEN x.indpred IS NULL \
    AND x.indexprs IS NULL AND m.amname = 'btree' AND x.indisvalid \
    THEN \(names("(x.indkey::int2[])[0:x.indnkeyatts - 1]")) END) ORDER BY i.relname) FROM pg_index x \
    JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam WHERE x.indrelid = c.oid), \
    EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('c', 'f')) \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition \
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid \
    AND d.deptype = 'e') ORDER BY c.oid
    """

  private static func names(_ numbers: String) -> String {
    """
    (SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(\(numbers)) WITH ORDINALITY k(number, place) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number)
    """
  }
}

extension OriginOutline {
  init(_ catalog: SchemaCatalog) {
    // Excludes the primary key's index and others over the same columns, which are useless to clients.
    let plain = catalog.tables.flatMap { table in
      let key = table.indexes.first(where: \.isPrimary)?.columns
      return table.indexes.filter { !$0.columns.isEmpty && $0.columns != key }.map { ($0.name, table.name) }
    }
    let tables = catalog.tables.map { ($0.name, $0.columns.map(\.name)) }
    self.init(
      tables: Dictionary(tables) { first, _ in first }, indexes: plain.map(\.0),
      owners: Dictionary(plain) { first, _ in first })
  }
}
